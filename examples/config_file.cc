// SPDX-License-Identifier: Apache-2.0

// config_file.cc - choose the engine in a file, not in the code.
//
//   $ ./config_file holdfast.conf
//   hello from the lock "config/hello"

#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: config_file FILE\n";
    return 64;
  }
  auto client = holdfast::Client::from_config(argv[1]).value();
  holdfast::Mutex mutex(client, "config/hello");

  std::scoped_lock guard(mutex);
  std::cout << "hello from the lock \"" << mutex.name() << "\"\n";
  return 0;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

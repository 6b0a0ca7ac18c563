// SPDX-License-Identifier: Apache-2.0

// scoped_lock.cc - one process at a time, in the standard spelling.
//
//   $ ./scoped_lock & ./scoped_lock
//   sold one, 4999 left
//   sold one, 4998 left

#include <holdfast/holdfast.h>

#include <fstream>
#include <iostream>
#include <mutex>

namespace {

// A read and a write with a gap between them: two processes in the gap sell one item
// twice.
int sell_one(const char* path) {
  int left = 5000;
  std::ifstream(path) >> left;
  std::ofstream(path) << --left;
  return left;
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();  // $HOLDFAST_URL, or local:
  holdfast::Mutex mutex(client, "stock/1001");

  std::scoped_lock guard(mutex);  // waits for its turn, on this host or any other
  std::cout << "sold one, " << sell_one("stock.txt") << " left\n";
  return 0;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

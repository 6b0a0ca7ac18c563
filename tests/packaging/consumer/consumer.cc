// SPDX-License-Identifier: Apache-2.0

// consumer.cc - the smallest honest user: lock, look at the token, let go.

#include <holdfast/holdfast.h>

#include <iostream>
#include <mutex>

int main() try {
  auto client = holdfast::Client::open().value();
  holdfast::Mutex mutex(client, "stock/1001");
  {
    std::scoped_lock guard(mutex);
    std::cout << "token " << mutex.token().value << '\n';
  }

  auto hold = mutex.acquire({.wait = std::chrono::seconds(2)});
  if (!hold) throw holdfast::Error(hold.error());
  const bool fenced = holdfast::Fence().admit(hold->token()).has_value();
  const bool released = hold->release().has_value();
  return fenced && released ? 0 : 1;
} catch (const holdfast::Error& error) {
  std::cerr << error.failure().message() << '\n';
  return 1;
}

// SPDX-License-Identifier: Apache-2.0

// fenced_write.cc - a holder that woke up too late is turned away by the data itself.
//
//   $ ./fenced_write
//   second: wrote 101
//   first: refused, token 17 is stale: the fence has seen 18; acquire the lock again
//   before you go on
//   balance 101

#include <holdfast/holdfast.h>

#include <iostream>
#include <thread>

using namespace std::chrono_literals;

int main() try {
  auto client = holdfast::Client::open().value();
  const auto lease = holdfast::LeaseOptions::fixed(200ms);
  holdfast::Mutex first(client, "account/7", lease);
  holdfast::Mutex second(holdfast::Client::open().value(), "account/7", lease);

  int balance = 100;
  holdfast::Fence fence;  // lives beside the data it guards

  // The first holder shows its token when it reads, and again when it writes ...
  auto slow = first.acquire().value();
  const int seen = fence.read(slow.token(), [&] { return balance; }).value();

  std::this_thread::sleep_for(300ms);  // ... but in between it is frozen

  auto quick = second.acquire().value();  // the lease is over: the next one gets in
  fence.write(quick.token(), [&] { balance += 1; }).value();
  std::cout << "second: wrote " << balance << '\n';

  auto late = fence.write(slow.token(), [&] { balance = seen + 50; });
  if (late) return 1;
  std::cout << "first: refused, " << late.error().message() << '\n';
  std::cout << "balance " << balance << '\n';
  return balance == 101 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

// SPDX-License-Identifier: Apache-2.0

// semaphore.cc - at most three at once, on all hosts together.
//
//   $ ./semaphore
//   eight uploads, never more than 3 at once
//   four at once: "uploads" will never have 4 permits, it has 3: ask for at most 3, or
//   set a larger number with Semaphore::set_permits or `holdfast semaphore`

#include <holdfast/holdfast.h>

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main() try {
  auto client = holdfast::Client::open().value();
  holdfast::Semaphore uploads(client, "uploads", 3);

  std::atomic<int> busy = 0;
  std::atomic<int> most = 0;
  std::vector<std::jthread> workers(8);
  for (std::jthread& worker : workers) {
    worker = std::jthread([&] {
      auto permit = uploads.acquire().value();  // one of the three
      const int now = ++busy;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(20ms);  // the upload
      --busy;
    });  // the permit comes back: here, and also if the process dies
  }
  workers.clear();
  std::cout << "eight uploads, never more than " << most << " at once\n";

  // More than there are will never be free at once: told, not waited for.
  auto four = uploads.acquire_many(4);
  if (four || four.error().code != holdfast::Errc::bad_argument) return 1;
  std::cout << "four at once: " << four.error().message() << '\n';

  auto all = uploads.acquire_many(3).value();  // all or nothing
  if (uploads.acquire({.wait = 0s})) return 1;
  all.release(1).value();  // and some of them back
  return most <= 3 && all.count() == 2 && uploads.acquire({.wait = 0s}) ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

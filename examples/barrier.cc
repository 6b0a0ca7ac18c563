// SPDX-License-Identifier: Apache-2.0

// barrier.cc - one process stops all the others, and lets them go on.
//
//   $ ./barrier
//   maintenance: the worker waits
//   over: the worker goes on

#include <holdfast/holdfast.h>

#include <atomic>
#include <iostream>
#include <latch>
#include <thread>

using namespace std::chrono_literals;

int main() try {
  holdfast::Barrier maintenance(holdfast::Client::open().value(), "maintenance");
  maintenance.set().value();  // it stays, even if this process ends

  std::latch waits(1);
  std::atomic<bool> worked = false;
  std::jthread worker([&] {
    holdfast::Barrier barrier(holdfast::Client::open().value(), "maintenance");
    const auto open = barrier.wait({.wait = 50ms});
    waits.count_down();
    if (open) return;
    barrier.wait().value();
    worked = true;
  });

  waits.wait();
  if (worked) return 1;
  std::cout << "maintenance: the worker waits\n";
  if (!maintenance.remove().value()) return 1;
  worker.join();
  if (!worked) return 1;
  std::cout << "over: the worker goes on\n";
  return maintenance.is_set().value() ? 1 : 0;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

// SPDX-License-Identifier: Apache-2.0

// latch.cc - wait until three things have happened, wherever they happen.
//
//   $ ./latch
//   three to go
//   all are ready

#include <holdfast/holdfast.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main() try {
  const std::string name = "deploy/" + std::to_string(getpid());
  holdfast::Latch ready(holdfast::Client::open().value(), name);
  if (!ready.set_count(3).value()) return 1;
  if (ready.wait({.wait = 0s})) return 1;  // closed: it would have to wait
  std::cout << "three to go\n";

  std::atomic<int> started = 0;
  std::vector<std::jthread> services(3);
  for (std::jthread& service : services) {
    service = std::jthread([&] {
      holdfast::Latch mine(holdfast::Client::open().value(),
                           name);  // another process, say
      ++started;
      mine.count_down().value();  // counted once, also if the answer is lost
    });
  }
  ready.wait({.wait = 10s}).value();
  std::cout << "all are ready\n";
  return started == 3 && ready.count().value() == 0 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

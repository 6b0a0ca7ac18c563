// SPDX-License-Identifier: Apache-2.0

// counter.cc - one number for all processes.
//
//   $ ./counter
//   1000 visitors
//   the 1000th wins: yes, and once only

#include <holdfast/holdfast.h>

#include <iostream>
#include <thread>
#include <vector>

int main() try {
  auto client = holdfast::Client::open().value();
  holdfast::Counter visitors(client, "visitors");
  visitors.exchange(0).value();  // whatever an earlier day has left

  std::vector<std::jthread> doors(4);
  for (std::jthread& door : doors) {
    door = std::jthread([] {
      holdfast::Counter mine(holdfast::Client::open().value(), "visitors");
      for (int n = 0; n < 250; ++n) mine.increment().value();  // one step each
    });
  }
  doors.clear();
  std::cout << visitors.get().value() << " visitors\n";

  // Each change says what was before and after it, so one caller alone sees this step.
  auto prize = visitors.compare_exchange(1000, 1001).value();
  auto again = visitors.compare_exchange(1000, 1001).value();
  if (!prize.done || again.done || again.before != 1001) return 1;
  std::cout << "the 1000th wins: yes, and once only\n";

  auto back = visitors.subtract(1).value();
  return back.before == 1001 && back.after == 1000 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

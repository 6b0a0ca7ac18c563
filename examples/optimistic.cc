// SPDX-License-Identifier: Apache-2.0

// optimistic.cc - sell without a lock: read, decide, and swap if nothing changed.
//
//   $ ./optimistic
//   sold 3: 100 -> 97 after 1 tries
//   ...
//   99 sold, 1 left, 7 buyers came too late

#include <holdfast/holdfast.h>

#include <atomic>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

namespace {

// WATCH, GET, MULTI, SET, EXEC and start again, in one call: the function says what
// should become of the number, and is asked again when another client was faster.
holdfast::Change sell(holdfast::Counter& stock, std::int64_t items) {
  auto sold = stock.update([&](std::int64_t left) -> std::optional<std::int64_t> {
    if (left < items) return std::nullopt;  // not enough: leave it alone
    return left - items;
  });
  return sold.value();
}

}  // namespace

int main() try {
  holdfast::Counter stock(holdfast::Client::open().value(), "optimistic/stock");
  stock.exchange(100).value();

  std::atomic<int> sales = 0;
  std::atomic<int> refusals = 0;
  std::vector<std::jthread> buyers(40);  // 40 times 3, but there are only 100
  for (std::jthread& buyer : buyers) {
    buyer = std::jthread([&] {
      const holdfast::Change sale = sell(stock, 3);
      ++(sale.done ? sales : refusals);
      if (!sale.done) return;
      std::ostringstream line;
      line << "sold 3: " << sale.before << " -> " << sale.after << " after "
           << sale.tries << " tries\n";
      std::cout << line.str() << std::flush;
    });
  }
  buyers.clear();
  const std::int64_t left = stock.get().value();
  std::cout << 3 * sales << " sold, " << left << " left, " << refusals
            << " buyers came too late\n";
  return sales == 33 && left == 1 && refusals == 7 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

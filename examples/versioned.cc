// SPDX-License-Identifier: Apache-2.0

// versioned.cc - the optimistic lock with a version column.
//
//   $ ./versioned
//   the number is 10 again, but the version is not: refused
//   sold one: 9 left

#include <holdfast/holdfast.h>

#include <iostream>

namespace {

using holdfast::SharedCount;
using holdfast::Versioned;

// UPDATE stock SET count = count - 1, version = version + 1
//  WHERE version = :seen                   -- no row: it has changed, start again
Versioned sell_one(SharedCount& stock, Versioned seen) {
  for (;;) {
    auto set = stock.compare_exchange(seen, seen.number - 1).value();
    if (set.done) return set.now;
    seen = set.now;  // what is there instead: no second look is needed
  }
}

}  // namespace

int main() try {
  SharedCount stock(holdfast::Client::open().value(), "versioned/stock");
  SharedCount theirs(holdfast::Client::open().value(), "versioned/stock");
  stock.set(10).value();
  const Versioned seen = stock.get().value();

  // Meanwhile one client sells one, and another one brings one back.
  const Versioned sold = theirs.set(9).value();
  const Versioned back = theirs.set(10).value();
  if (seen.number != back.number || seen.version == back.version) return 1;
  if (sold.version == seen.version || sold.version == back.version) return 1;

  // A plain comparison of numbers would not notice.
  auto refused = stock.compare_exchange(seen, 9).value();
  if (refused.done || refused.now != back) return 1;
  std::cout << "the number is 10 again, but the version is not: refused\n";

  const Versioned now = sell_one(stock, seen);
  std::cout << "sold one: " << now.number << " left\n";
  return now.number == 9 && stock.get().value() == now ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

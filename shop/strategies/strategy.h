// SPDX-License-Identifier: Apache-2.0

// shop/strategies/strategy.h - the ways to sell one item when many want it.

#pragma once

#include <cstdint>
#include <memory>

#include "strategies/desk.h"

namespace holdfast::shop {

enum class Outcome : std::uint8_t { sold, sold_out };

struct Purchase {
  Outcome outcome = Outcome::sold_out;
  std::uint32_t retries = 0;
};

// The threads of one service share a strategy; each brings its own desk.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Sells one item to one customer. Throws StoreError or holdfast::Error.
  virtual Purchase buy(Desk& desk) = 0;
};

// The part that every lock protects: what it is about is the gap between the two steps.
inline Purchase read_then_write(StockConnection& connection) {
  const Stock stock = connection.read();
  if (stock.count <= 0) return {Outcome::sold_out};
  connection.write(stock.count - 1);
  return {Outcome::sold};
}

}  // namespace holdfast::shop

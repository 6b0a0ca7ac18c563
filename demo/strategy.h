// SPDX-License-Identifier: Apache-2.0

// demo/strategy.h - the ways to sell one item when many want it.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "stock.h"

namespace holdfast::demo {

enum class Outcome : std::uint8_t { sold, sold_out, failed };

struct Purchase {
  Outcome outcome = Outcome::failed;
  std::uint32_t retries = 0;
};

// The threads of one shop share a strategy; each brings its own connection.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Sells one item to one customer. Throws DatabaseError or holdfast::Error.
  virtual Purchase buy(StockConnection& connection) = 0;
};

struct StrategyInfo {
  std::string_view name;    // at most 23 characters, the width of a column
  std::string_view how;     // at most 72 characters
  std::string_view advice;  // why it is wrong, or when to use it; at most 72 characters
};

inline constexpr std::array<StrategyInfo, 6> kStrategies = {{
    {"no lock", "SELECT count, then UPDATE count = what was read - 1",
     "wrong: many read the same count, and one UPDATE overwrites another"},
    {"std::mutex per process", "the same, each shop under a mutex of its own",
     "wrong: it keeps out the threads of one process, not the other shops"},
    {"one SQL", "UPDATE count = count - 1 WHERE count > 0",
     "take it when one statement on one row says it all"},
    {"optimistic (version)", "UPDATE ... WHERE version = what was read, or again",
     "take it when conflicts are rare: each of them is a retry"},
    {"pessimistic (IMMEDIATE)", "SELECT and UPDATE inside BEGIN IMMEDIATE",
     "take it when all you touch is in one database, and is touched briefly"},
    {"Holdfast Mutex", "SELECT, then UPDATE, under one lock for all shops",
     "take it when no single database guards it: files, other services, jobs"},
}};
inline constexpr int kPessimistic = 4;
inline constexpr int kHoldfast = 5;

// This is the same strategy for a stock in MySQL.
inline constexpr StrategyInfo kForUpdate = {
    "pessimistic FOR UPDATE", "SELECT ... FOR UPDATE, then UPDATE, then COMMIT",
    kStrategies[kPessimistic].advice};

constexpr const StrategyInfo& strategy_info(std::size_t index, bool in_mysql) {
  return index == kPessimistic && in_mysql ? kForUpdate : kStrategies[index];
}

// `lock` is the name of the lock. Throws holdfast::Error when the engine of
// HOLDFAST_URL cannot be opened.
std::unique_ptr<Strategy> make_strategy(int index, const std::string& lock);

}  // namespace holdfast::demo

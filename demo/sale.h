// SPDX-License-Identifier: Apache-2.0

// demo/sale.h - one strategy from opening to sold out, and the crash scene.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "statistics.h"

namespace holdfast::demo {

struct SaleResult {
  Statistics statistics;
  int stock = 0;
  int stock_left = 0;
  long oversold = 0;  // confirmed sales beyond what left the stock
};

SaleResult run_sale(const Options& options, const std::string& store, int strategy);

struct CrashResult {
  int stock = 0;
  int sold_before = 0;     // when one shop was killed
  int sold_after = 0;      // by the other shops
  double resumed_ms = -1;  // from the kill to the next sale; negative means that none
                           // came
  int stock_left = 0;
  long oversold = 0;

  bool exact() const { return resumed_ms >= 0 && stock_left == 0 && oversold == 0; }
};

// Kills one shop with SIGKILL while it has the lock; the other shops sell the rest.
CrashResult run_crash(const Options& options, const std::string& store);

struct PauseResult {
  bool shown = false;  // False means that this engine gives no tokens.
  double waited_ms = 0;
  std::uint64_t old_token = 0;
  std::uint64_t new_token = 0;
  bool knew = false;     // The stopped shop knew that its lock was gone.
  bool refused = false;  // The stock refused its write.
};

// Stops one shop while it has the lock, until another shop has it; then the first one
// continues, and writes with the token that it has.
PauseResult run_pause(const Options& options, const std::string& store);

}  // namespace holdfast::demo

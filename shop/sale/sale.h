// SPDX-License-Identifier: Apache-2.0

// shop/sale/sale.h - one strategy: its services, nginx before them, and the load.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "load/load.h"
#include "servers/servers.h"
#include "strategies/catalogue.h"

namespace holdfast::shop {

struct SaleOptions {
  std::string program = {};  // holdfast-shop, which is started again for each service
  int services = 3;
  int users = 100;
  int requests = 50;  // of each user
  int stock = 5000;
  Store store = Store::sqlite;
  std::chrono::milliseconds limit{8000};
  bool direct = false;  // without nginx: all users go to the first service
};

struct SaleResult {
  const StrategyInfo* strategy = nullptr;
  Store store = Store::sqlite;
  int services = 0;
  Histogram alone;  // the latencies of a single user, before the others come
  LoadResult load;
  int left = 0;
  long oversold = 0;
  int most_inside = 0;  // how many were between their read and their write at once
};

// Returns how many were sold beyond what is missing from the stock.
inline long oversold(int stock, int left, std::uint64_t sold) {
  return std::max(0L, static_cast<long>(sold) - (stock - left));
}

class OpenedShop;

// Both may be empty, and run on the thread of run_sale(). What they throw ends the
// sale.
struct SaleObserver {
  std::function<void(const OpenedShop&)> opened;  // Is called before the load comes.
  LoadObserver look;
};

// Returns the store of a strategy: the one that was asked for, where it has that.
Store store_of(const StrategyInfo& strategy, Store wanted);

// Starts what the strategy needs, sells, and stops its services. Throws Trouble.
SaleResult run_sale(Servers& servers, const std::string& dir,
                    const StrategyInfo& strategy, const SaleOptions& options,
                    const SaleObserver& observer = {});

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/report/run.h - a whole run, as the table, the page and the report tell it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/machine.h"
#include "sale/sale.h"
#include "scenes/scene.h"

namespace holdfast::shop {

// One look at a sale that goes on; there are about twenty in a second.
struct Moment {
  struct Service {
    int inside = 0;  // have read the stock, and not yet written it
    int buying = 0;  // all who want an item, those inside among them
  };

  std::size_t strategy = 0;  // its place in Run::plan
  double seconds = 0;        // since the sale began
  int left = 0;
  std::uint64_t sold = 0;
  std::uint64_t errors = 0;
  // The rest is of the last half second; times are in milliseconds.
  double per_second = 0;
  double p50 = 0, p90 = 0, p99 = 0;
  std::vector<Service> services = {};
};

struct Run {
  std::string command;  // as it was typed
  Machine machine;
  SaleOptions options;
  std::vector<const StrategyInfo*> plan;
  std::vector<Moment> moments = {};
  std::vector<SaleResult> sales = {};  // those that are over
  std::vector<SceneResult> played = {};
};

}  // namespace holdfast::shop

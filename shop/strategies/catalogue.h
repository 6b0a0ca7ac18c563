// SPDX-License-Identifier: Apache-2.0

// shop/strategies/catalogue.h - every strategy, with what it needs and what becomes of
// it.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strategies/strategy.h"

namespace holdfast::shop {

enum class Needs : std::uint8_t { nothing, redis, mysql, zookeeper, etcd, quorum };

struct StrategyInfo {
  std::string_view name;         // as --strategies has it
  std::string_view how;          // one line for the table's reader
  bool oversells = false;        // with more than one service
  std::vector<Store> stores;     // the first is taken when --store names none of them
  Needs needs = Needs::nothing;  // besides the store
  int services = 0;  // as many as this, whatever --services says; 0: as it says
  std::string_view engine = {};  // of Holdfast; empty: Holdfast is not used
  std::unique_ptr<Strategy> (*make)(const Places&) = nullptr;
  std::string_view peer = {};  // the library that it is compared with: see peers.h
  // What a service runs, where that is not holdfast-shop: then `make` is null.
  std::vector<std::string> (*command)() = nullptr;
};

std::span<const StrategyInfo> strategies();

// Finds those of peers, too. Throws Trouble, which lists the names that there are.
const StrategyInfo& strategy_named(std::string_view name);

}  // namespace holdfast::shop

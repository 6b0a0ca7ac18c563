// SPDX-License-Identifier: Apache-2.0

#include "sale/sale.h"

#include <algorithm>

#include "sale/opened.h"
#include "stores/presence.h"

namespace holdfast::shop {
namespace {

// There is one user for a moment: what a purchase costs when no other user buys.
Histogram sell_to_one(OpenedShop& shop, int stock) {
  const LoadResult load = run_load({.port = shop.port(),
                                    .users = 1,
                                    .requests = 60,
                                    .limit = std::chrono::seconds(1)});
  shop.stock().write(stock);
  return load.latency;
}

// A request that is still under way would write what it has read over the new stock, so
// all answers are awaited.
void warm_up(OpenedShop& shop, LoadOptions load, int stock,
             const LoadObserver& observer) {
  load.grace = std::chrono::seconds(60);
  run_load(load, observer);
  shop.stock().fill(stock);
}

}  // namespace

Store store_of(const StrategyInfo& strategy, Store wanted) {
  const auto& stores = strategy.stores;
  return std::find(stores.begin(), stores.end(), wanted) != stores.end()
             ? wanted
             : stores.front();
}

SaleResult run_sale(Servers& servers, const std::string& dir,
                    const StrategyInfo& strategy, const SaleOptions& options,
                    const SaleObserver& observer) {
  OpenedShop shop(servers, dir, strategy, options);
  SaleResult result;
  result.strategy = &strategy;
  result.store = shop.store();
  result.services = static_cast<int>(shop.services().size());
  const LoadOptions load{.port = shop.port(),
                         .users = options.users,
                         .requests = options.requests,
                         .limit = options.limit};
  if (!strategy.peer.empty()) warm_up(shop, load, options.stock, observer.look);
  result.alone = sell_to_one(shop, options.stock);
  if (observer.opened) observer.opened(shop);
  result.load = run_load(load, observer.look);
  shop.close();
  result.most_inside = PresenceFile(shop.presence())->most;
  result.left = shop.stock().read().count;
  result.oversold = oversold(options.stock, result.left, result.load.sold);
  return result;
}

}  // namespace holdfast::shop

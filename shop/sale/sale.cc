// SPDX-License-Identifier: Apache-2.0

#include "sale/sale.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "errors.h"
#include "servers/nginx.h"
#include "service/service.h"
#include "stores/zookeeper.h"

namespace holdfast::shop {
namespace {

constexpr std::chrono::seconds kOpening{60};
// A handler that waits for a lock when the sale is over would wait for ever.
constexpr std::chrono::milliseconds kClosing{500};

Needs needs_of(Store store) {
  switch (store) {
    case Store::mysql:
      return Needs::mysql;
    case Store::redis:
      return Needs::redis;
    case Store::sqlite:
      break;
  }
  return Needs::nothing;
}

// What an earlier strategy has left locked would stop this one.
void remove_hand_made_locks(const Places& places) {
  if (places.redis != 0) Redis(places.redis).del("lock");
  if (places.mysql != 0) Mysql(places).run("DELETE FROM tb_lock");
  if (places.zookeeper != 0) {
    Zookeeper zookeeper(places.zookeeper);
    for (const std::string& node : zookeeper.children()) {
      zookeeper.remove(zookeeper.root() + "/" + node);
    }
  }
}

class Services {
 public:
  Services(const std::string& program, const std::string& dir,
           const StrategyInfo& strategy, Store store, int count) {
    for (int i = 1; i <= count; ++i) {
      children_.emplace_back(
          std::vector<std::string>{program, "service", "--strategy",
                                   std::string(strategy.name), "--store",
                                   name_of(store), "--number", std::to_string(i)},
          dir + "/service" + std::to_string(i) + ".log");
    }
    for (const Child& child : children_) {
      ports_.push_back(static_cast<std::uint16_t>(
          std::atoi(child.await(kListening, kOpening).c_str())));
    }
  }
  ~Services() {
    for (Child& child : children_) child.stop(kClosing);
  }
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

  const std::vector<std::uint16_t>& ports() const noexcept { return ports_; }

 private:
  std::vector<Child> children_;
  std::vector<std::uint16_t> ports_;
};

}  // namespace

Store store_of(const StrategyInfo& strategy, Store wanted) {
  const auto& stores = strategy.stores;
  return std::find(stores.begin(), stores.end(), wanted) != stores.end()
             ? wanted
             : stores.front();
}

SaleResult run_sale(Servers& servers, const std::string& dir,
                    const StrategyInfo& strategy, const SaleOptions& options,
                    const LoadObserver& observer) {
  SaleResult result;
  result.strategy = &strategy;
  result.store = store_of(strategy, options.store);
  result.services = strategy.services != 0 ? strategy.services : options.services;
  servers.start(needs_of(result.store));
  servers.start(strategy.needs);
  Places places = servers.places();
  // The test pages want an engine with every strategy.
  places.lock_url = servers.url(strategy.engine.empty() ? "local" : strategy.engine);
  places.to_environment();
  remove_hand_made_locks(places);
  const std::unique_ptr<Till> till = open_till(result.store, places);
  till->fill(options.stock);
  {
    const Services services(options.program, dir, strategy, result.store,
                            result.services);
    std::optional<Nginx> nginx;
    if (!options.direct) nginx.emplace(dir, services.ports());
    result.load = run_load({.port = nginx ? nginx->port() : services.ports().front(),
                            .users = options.users,
                            .requests = options.requests,
                            .limit = options.limit},
                           observer);
  }
  result.left = till->read().count;
  const long missing = options.stock - result.left;
  result.oversold = std::max(0L, static_cast<long>(result.load.sold) - missing);
  return result;
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "sale/opened.h"

#include <unistd.h>

#include <cstdlib>

#include "service/service.h"
#include "stores/mysql.h"
#include "stores/redis.h"
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

}  // namespace

OpenedShop::OpenedShop(Servers& servers, const std::string& dir,
                       const StrategyInfo& strategy, const SaleOptions& options)
    : store_(store_of(strategy, options.store)) {
  servers.start(needs_of(store_));
  servers.start(strategy.needs);
  places_ = servers.places();
  // The test pages want an engine with every strategy.
  places_.lock_url = servers.url(strategy.engine.empty() ? "local" : strategy.engine);
  places_.presence = dir + "/presence";
  unlink(places_.presence.c_str());  // what the last sale has counted
  places_.to_environment();
  remove_hand_made_locks(places_);
  stock_ = new_stock_connection();
  stock_->fill(options.stock);
  const int count = strategy.services != 0 ? strategy.services : options.services;
  for (int i = 1; i <= count; ++i) {
    children_.emplace_back(
        strategy.command != nullptr
            ? strategy.command()
            : std::vector<std::string>{options.program, "service", "--strategy",
                                       std::string(strategy.name), "--store",
                                       name_of(store_), "--number", std::to_string(i)},
        dir + "/service" + std::to_string(i) + ".log");
  }
  for (const Child& child : children_) {
    ports_.push_back(static_cast<std::uint16_t>(
        std::atoi(child.await(kListening, kOpening).c_str())));
  }
  if (!options.direct) nginx_.emplace(dir, ports_);
}

OpenedShop::~OpenedShop() { close(); }

void OpenedShop::close() noexcept {
  nginx_.reset();
  for (Child& child : children_) child.stop(kClosing);
}

}  // namespace holdfast::shop

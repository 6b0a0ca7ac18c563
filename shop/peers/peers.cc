// SPDX-License-Identifier: Apache-2.0

#include "peers/peers.h"

#include <cstdlib>

#include "errors.h"
#include "strategies/under_holdfast.h"

namespace holdfast::shop {
namespace {

std::vector<std::string> redisson_command() {
  const char* const jar = std::getenv("HOLDFAST_SHOP_REDISSON");
  if (jar == nullptr) {
    throw Trouble(kUnavailable,
                  "HOLDFAST_SHOP_REDISSON does not name the service on Redisson; "
                  "./dev shop --peers redisson builds it");
  }
  // It keeps connections as long as the services in C++ do, and sends at once.
  return {"java",
          "-Xmx256m",
          "-Dsun.net.httpserver.nodelay=true",
          "-Dsun.net.httpserver.idleInterval=75",
          "-Dsun.net.httpserver.maxIdleConnections=1024",
          "-jar",
          jar};
}

std::unique_ptr<Strategy> make_holdfast_beside(const Places& places) {
  return std::make_unique<UnderHoldfast>(places.lock_url);
}

std::vector<StrategyInfo> all_peers() {
  return {{.name = "redisson",
           .how = "GET, then SET, under an RLock of Redisson, in Java",
           .stores = {Store::redis},
           .needs = Needs::redis,
           .peer = "redisson",
           .command = redisson_command},
          {.name = "beside-redisson",
           .how = "GET, then SET, under a Mutex of Holdfast",
           .stores = {Store::redis},
           .needs = Needs::redis,
           .engine = "redis",
           .make = make_holdfast_beside,
           .peer = "redisson"}};
}

}  // namespace

std::span<const StrategyInfo> peer_strategies() {
  static const std::vector<StrategyInfo> all = all_peers();
  return all;
}

void check_peer(const std::string& peer) {
  for (const StrategyInfo& each : peer_strategies()) {
    if (each.peer != peer) continue;
    if (each.command != nullptr) (void)each.command();
    return;
  }
  throw Trouble(kUsage, "there is no peer '" + peer + "'; there is: redisson");
}

double ratio_to(const std::string& peer, std::span<const SaleResult> sales) {
  double theirs = 0;
  double ours = 0;
  for (const SaleResult& each : sales) {
    if (each.strategy->peer != peer) continue;
    (each.strategy->engine.empty() ? theirs : ours) = each.load.per_second();
  }
  return theirs > 0 ? ours / theirs : 0;
}

}  // namespace holdfast::shop

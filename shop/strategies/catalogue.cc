// SPDX-License-Identifier: Apache-2.0

#include "strategies/catalogue.h"

#include <string>

#include "errors.h"
#include "peers/peers.h"
#include "strategies/for_update.h"
#include "strategies/ladder/v1_recursive.h"
#include "strategies/ladder/v2_loop.h"
#include "strategies/ladder/v3_expiry.h"
#include "strategies/ladder/v4_owner_check.h"
#include "strategies/ladder/v5_lua.h"
#include "strategies/ladder/v6_reentrant.h"
#include "strategies/ladder/v7_renewed.h"
#include "strategies/mysql_row.h"
#include "strategies/no_lock.h"
#include "strategies/one_sql.h"
#include "strategies/optimistic.h"
#include "strategies/process_mutex.h"
#include "strategies/redis_watch.h"
#include "strategies/share_mode.h"
#include "strategies/under_holdfast.h"
#include "strategies/zookeeper_create.h"
#include "strategies/zookeeper_sequence.h"
#include "strategies/zookeeper_watch.h"

namespace holdfast::shop {
namespace {

using Stores = std::vector<Store>;

const Stores kAny = {Store::sqlite, Store::mysql, Store::redis};
const Stores kRows = {Store::sqlite, Store::mysql};
const Stores kMysql = {Store::mysql};
const Stores kRedis = {Store::redis};

template <class Kind>
std::unique_ptr<Strategy> make(const Places&) {
  return std::make_unique<Kind>();
}

template <class Lock>
std::unique_ptr<Strategy> make_ladder(const Places&) {
  return std::make_unique<UnderRedisLock<Lock>>();
}

template <class Lock>
std::unique_ptr<Strategy> make_zookeeper(const Places& places) {
  return std::make_unique<UnderSession<Lock, Zookeeper>>(places.zookeeper);
}

std::unique_ptr<Strategy> make_holdfast(const Places& places) {
  return std::make_unique<UnderHoldfast>(places.lock_url);
}

StrategyInfo ladder(std::string_view name, std::string_view how,
                    std::unique_ptr<Strategy> (*maker)(const Places&)) {
  return {
      .name = name, .how = how, .stores = kAny, .needs = Needs::redis, .make = maker};
}

StrategyInfo on(std::string_view name, std::string_view engine, Needs needs) {
  return {.name = name,
          .how = "SELECT, then UPDATE, under one lock of Holdfast",
          .stores = kAny,
          .needs = needs,
          .engine = engine,
          .make = make_holdfast};
}

std::vector<StrategyInfo> all_strategies() {
  return {
      {.name = "no-lock",
       .how = "SELECT count, then UPDATE count = what was read - 1",
       .oversells = true,
       .stores = kAny,
       .make = make<NoLock>},
      {.name = "mutex-1",
       .how = "the same under a std::mutex, with one service",
       .stores = kAny,
       .services = 1,
       .make = make<ProcessMutex>},
      {.name = "mutex",
       .how = "the same under a std::mutex, which each service has for itself",
       .oversells = true,
       .stores = kAny,
       .make = make<ProcessMutex>},
      {.name = "one-sql",
       .how = "UPDATE count = count - 1 WHERE count > 0",
       .stores = kAny,
       .make = make<OneSql>},
      {.name = "for-update",
       .how = "SELECT ... FOR UPDATE, then UPDATE (SQLite: BEGIN IMMEDIATE)",
       .stores = kRows,
       .make = make<ForUpdate>},
      {.name = "share-mode",
       .how = "SELECT ... LOCK IN SHARE MODE, then UPDATE: deadlocks",
       .stores = kMysql,
       .make = make<ShareMode>},
      {.name = "optimistic",
       .how = "UPDATE ... WHERE version = what was read, or again",
       .stores = kRows,
       .make = make<Optimistic>},
      {.name = "redis-watch",
       .how = "WATCH, GET, MULTI, SET, EXEC, or again",
       .stores = kRedis,
       .make = make<RedisWatch>},
      ladder("v1", "SETNX, and lock() calls itself", make_ladder<V1Recursive>),
      ladder("v2", "SETNX in a loop", make_ladder<V2Loop>),
      ladder("v3", "SET NX PX: with an expiry", make_ladder<V3Expiry>),
      ladder("v4", "and GET before DEL", make_ladder<V4OwnerCheck>),
      ladder("v5", "and both in one script", make_ladder<V5Lua>),
      ladder("v6", "and a hash that counts, so re-entrant", make_ladder<V6Reentrant>),
      ladder("v7", "and a timer that renews the expiry", make_ladder<V7Renewed>),
      {.name = "mysql-row",
       .how = "INSERT of a unique row, DELETE; 50 ms of sleep between",
       .stores = kAny,
       .needs = Needs::mysql,
       .make = make<MysqlRow>},
      {.name = "zookeeper-create",
       .how = "create of a node; 200 ms of sleep between",
       .stores = kAny,
       .needs = Needs::zookeeper,
       .make = make_zookeeper<ZookeeperCreate>},
      {.name = "zookeeper-sequence",
       .how = "a node with a number; is it the first? 20 ms of sleep between",
       .stores = kAny,
       .needs = Needs::zookeeper,
       .make = make_zookeeper<ZookeeperSequence>},
      {.name = "zookeeper-watch",
       .how = "a node with a number, and a watch on the one before",
       .stores = kAny,
       .needs = Needs::zookeeper,
       .make = make_zookeeper<ZookeeperWatch>},
      on("holdfast-local", "local", Needs::nothing),
      on("holdfast-redis", "redis", Needs::redis),
      on("holdfast-zookeeper", "zookeeper", Needs::zookeeper),
      on("holdfast-etcd", "etcd", Needs::etcd),
      on("holdfast-mysql", "mysql", Needs::mysql),
      on("holdfast-quorum", "quorum", Needs::quorum),
  };
}

}  // namespace

std::span<const StrategyInfo> strategies() {
  static const std::vector<StrategyInfo> all = all_strategies();
  return all;
}

const StrategyInfo& strategy_named(std::string_view name) {
  for (const auto list : {strategies(), peer_strategies()}) {
    for (const StrategyInfo& each : list) {
      if (each.name == name) return each;
    }
  }
  std::string names;
  for (const StrategyInfo& each : strategies()) names.append(" ").append(each.name);
  throw Trouble(kUsage,
                "there is no strategy '" + std::string(name) + "'; there are:" + names);
}

}  // namespace holdfast::shop

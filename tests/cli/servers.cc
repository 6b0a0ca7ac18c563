// SPDX-License-Identifier: Apache-2.0

#include "cli/servers.h"

#include <unistd.h>

#include <random>

#if HOLDFAST_WITH_REDIS
#include "support/redis_cluster.h"
#include "support/redis_sentinel.h"
#include "support/redis_server.h"
#endif
#if HOLDFAST_WITH_ZOOKEEPER
#include "support/zookeeper_server.h"
#include "support/zookeeper_shared.h"
#endif
#if HOLDFAST_WITH_ETCD
#include "support/etcd_server.h"
#endif
#if HOLDFAST_WITH_MYSQL
#include "support/mysql_server.h"
#endif

namespace holdfast::test {
namespace {

template <class Server>
Served served(const std::shared_ptr<Server>& server, const std::string& url) {
  return {.url = url,
          .server = server,
          .pause = [server] { server->pause(); },
          .resume = [server] { server->resume(); }};
}

#if HOLDFAST_WITH_REDIS
// Without it there are warnings, as there are of replicas.
const std::vector<std::string> kDurable{"save 3600 1"};

Served serve_redis() {
  const auto server = std::make_shared<RedisServer>(kDurable);
  return served(server, server->url());
}

// Pauses and resumes all servers together.
template <class Group>
Served served_by_all(const std::shared_ptr<Group>& group) {
  const auto each = [group](void (RedisServer::*what)()) {
    return [group, what] {
      for (std::size_t i = 0; i < group->size(); ++i) ((*group)[i].*what)();
    };
  };
  return {.url = group->url(),
          .server = group,
          .pause = each(&RedisServer::pause),
          .resume = each(&RedisServer::resume)};
}
Served serve_redis_cluster() {
  return served_by_all(std::make_shared<RedisCluster>(3, 0, kDurable));
}
Served serve_redis_behind_sentinels() {
  const RedisSentinelLines lines{.servers = kDurable};
  return served_by_all(std::make_shared<RedisSentinel>(lines, 0));
}
#endif

#if HOLDFAST_WITH_ZOOKEEPER
Served share_zookeeper() {
  return {.url = "zookeeper://127.0.0.1:" + std::to_string(shared_zookeeper()) +
                 "/cli-" + std::to_string(getpid()) + "-" +
                 std::to_string(std::random_device()())};
}
Served serve_zookeeper() {
  const auto server = std::make_shared<ZookeeperServer>();
  return served(server, server->url());
}
#endif

#if HOLDFAST_WITH_ETCD
Served serve_etcd() {
  const auto server = std::make_shared<EtcdServer>();
  return served(server, server->url("/app"));
}
#endif

#if HOLDFAST_WITH_MYSQL
Served serve_mysql() {
  const auto server = std::make_shared<MysqlServer>();
  server->make_database("locks");
  return served(server, server->url("/locks"));
}
#endif

}  // namespace

std::vector<ServerEngine> server_engines() {
  std::vector<ServerEngine> engines;
#if HOLDFAST_WITH_REDIS
  engines.push_back({"redis", "redis", serve_redis, serve_redis});
  engines.push_back(
      {"redis_cluster", "redis", serve_redis_cluster, serve_redis_cluster});
  engines.push_back({"redis_sentinel", "redis", serve_redis_behind_sentinels,
                     serve_redis_behind_sentinels});
#endif
#if HOLDFAST_WITH_ZOOKEEPER
  engines.push_back({"zookeeper", "zookeeper", share_zookeeper, serve_zookeeper});
#endif
#if HOLDFAST_WITH_ETCD
  engines.push_back({"etcd", "etcd", serve_etcd, serve_etcd});
#endif
#if HOLDFAST_WITH_MYSQL
  engines.push_back({"mysql", "mysql", serve_mysql, serve_mysql});
#endif
  return engines;
}

}  // namespace holdfast::test

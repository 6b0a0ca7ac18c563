// SPDX-License-Identifier: Apache-2.0

#include "cli/servers.h"

#include <unistd.h>

#include <random>

#if HOLDFAST_WITH_REDIS
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
Served serve_redis() {
  const std::vector<std::string> durable{
      "save 3600 1"};  // otherwise there are warnings
  const auto server = std::make_shared<RedisServer>(durable);
  return served(server, server->url());
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
  engines.push_back({"redis", serve_redis, serve_redis});
#endif
#if HOLDFAST_WITH_ZOOKEEPER
  engines.push_back({"zookeeper", share_zookeeper, serve_zookeeper});
#endif
#if HOLDFAST_WITH_ETCD
  engines.push_back({"etcd", serve_etcd, serve_etcd});
#endif
#if HOLDFAST_WITH_MYSQL
  engines.push_back({"mysql", serve_mysql, serve_mysql});
#endif
  return engines;
}

}  // namespace holdfast::test

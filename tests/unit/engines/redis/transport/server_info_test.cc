// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/server_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::redis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kInfo =
    "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"
    "# Memory\r\nmaxmemory:0\r\nmaxmemory_human:0B\r\nmaxmemory_policy:noeviction\r\n"
    "# Persistence\r\naof_enabled:1\r\n"
    "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
    "slave0:ip=10.0.0.2,port=7002,state=online,offset=14,lag=1\r\n"
    "slave1:ip=fe80::1,port=7003,state=online,offset=14,lag=0\r\n"
    "# Cluster\r\ncluster_enabled:0\r\n";

std::string with(std::string_view before, std::string_view after) {
  std::string info(kInfo);
  info.replace(info.find(before), before.size(), after);
  return info;
}

TEST(RedisServerInfoTest, ReadsInfo) {
  const auto server = parse_server_info(kInfo);
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_EQ(server->version, "7.0.15");
  EXPECT_FALSE(server->replica);
  EXPECT_FALSE(server->cluster);
  EXPECT_EQ(server->replicas, 2);
  EXPECT_THAT(server->replicas_at, ElementsAre("10.0.0.2:7002", "[fe80::1]:7003"));
  EXPECT_FALSE(server->evicts());
  EXPECT_TRUE(server->aof);
}

TEST(RedisServerInfoTest, SeesRolesAndClusters) {
  EXPECT_TRUE(parse_server_info(with("role:master", "role:slave")).value().replica);
  EXPECT_TRUE(
      parse_server_info(with("cluster_enabled:0", "cluster_enabled:1"))->cluster);
  EXPECT_TRUE(
      parse_server_info(with("redis_mode:standalone", "redis_mode:cluster"))->cluster);
}

TEST(RedisServerInfoTest, EvictionNeedsALimitAndAPolicy) {
  const std::string limited = with("maxmemory:0", "maxmemory:1048576");
  EXPECT_FALSE(parse_server_info(limited).value().evicts());
  for (const char* policy : {"allkeys-lru", "volatile-ttl"}) {
    std::string info = limited;
    info.replace(info.find("noeviction"), 10, policy);
    EXPECT_TRUE(parse_server_info(info).value().evicts()) << policy;
  }
  EXPECT_FALSE(parse_server_info(with("noeviction", "allkeys-lru")).value().evicts());
}

TEST(RedisServerInfoTest, RefusesOldAndForeignServers) {
  EXPECT_EQ(parse_server_info(with("7.0.15", "4.0.9")).error().code, Errc::unsupported);
  EXPECT_EQ(parse_server_info("").error().code, Errc::incompatible);
  EXPECT_THAT(parse_server_info("").error().context,
              HasSubstr("the URL must lead to Redis 5.0 or newer"));
  EXPECT_EQ(parse_server_info("redis_version").error().code, Errc::incompatible);
  EXPECT_EQ(parse_server_info("xredis_version:7.0.15\n").error().code,
            Errc::incompatible);
}

TEST(RedisServerInfoTest, WarnsOfEachThingOnce) {
  const auto all = [](auto change, int acks) {
    ServerInfo server;
    change(server);
    return warnings(server, acks);
  };
  const auto replicas = [](int count) {
    return [=](ServerInfo& f) { f.replicas = count; };
  };
  EXPECT_THAT(warnings(ServerInfo(), 0), IsEmpty());
  EXPECT_THAT(all([](ServerInfo& f) { f.eviction = "allkeys-lru"; }, 0),
              ElementsAre(HasSubstr("noeviction")));
  EXPECT_THAT(all([](ServerInfo& f) { f.save = ""; }, 0),
              ElementsAre(HasSubstr("restart")));
  EXPECT_THAT(all(replicas(2), 0), ElementsAre(HasSubstr("?ack=1")));
  EXPECT_THAT(all(replicas(2), 1), IsEmpty());
  EXPECT_THAT(all(replicas(1), 2), ElementsAre(HasSubstr("every lock")));
}

TEST(RedisServerInfoTest, SaysHowTheServerSavesItsData) {
  const auto persistence = [](bool aof, const std::optional<std::string>& save) {
    ServerInfo server;
    server.aof = aof;
    server.save = save;
    return properties_of(server).at(2).value;
  };
  EXPECT_EQ(persistence(true, ""), "append-only file");
  EXPECT_EQ(persistence(true, "3600 1"), "append-only file and snapshots");
  EXPECT_EQ(persistence(false, "3600 1"), "snapshots");
  EXPECT_EQ(persistence(false, ""), "none");
  EXPECT_EQ(persistence(false, std::nullopt), "not known");
}

}  // namespace
}  // namespace holdfast::redis

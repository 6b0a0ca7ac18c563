#include "engines/redis/facts.h"

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
    "# Cluster\r\ncluster_enabled:0\r\n";

std::string with(std::string_view before, std::string_view after) {
  std::string info(kInfo);
  info.replace(info.find(before), before.size(), after);
  return info;
}

TEST(RedisFactsTest, ReadsInfo) {
  const auto facts = read_facts(kInfo);
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_EQ(facts->version, "7.0.15");
  EXPECT_FALSE(facts->replica);
  EXPECT_FALSE(facts->cluster);
  EXPECT_EQ(facts->replicas, 2);
  EXPECT_FALSE(facts->evicts);
  EXPECT_TRUE(facts->aof);
}

TEST(RedisFactsTest, SeesRolesAndClusters) {
  EXPECT_TRUE(read_facts(with("role:master", "role:slave")).value().replica);
  EXPECT_TRUE(read_facts(with("cluster_enabled:0", "cluster_enabled:1"))->cluster);
  EXPECT_TRUE(read_facts(with("redis_mode:standalone", "redis_mode:cluster"))->cluster);
}

TEST(RedisFactsTest, EvictionNeedsALimitAndAPolicy) {
  const std::string limited = with("maxmemory:0", "maxmemory:1048576");
  EXPECT_FALSE(read_facts(limited).value().evicts);
  for (const char* policy : {"allkeys-lru", "volatile-ttl"}) {
    std::string info = limited;
    info.replace(info.find("noeviction"), 10, policy);
    EXPECT_TRUE(read_facts(info).value().evicts) << policy;
  }
  EXPECT_FALSE(read_facts(with("noeviction", "allkeys-lru")).value().evicts);
}

TEST(RedisFactsTest, RefusesOldAndForeignServers) {
  EXPECT_EQ(read_facts(with("7.0.15", "4.0.9")).error().code, Errc::unsupported);
  EXPECT_EQ(read_facts("").error().code, Errc::incompatible);
  EXPECT_EQ(read_facts("redis_version").error().code, Errc::incompatible);
  EXPECT_EQ(read_facts("xredis_version:7.0.15\n").error().code, Errc::incompatible);
}

TEST(RedisFactsTest, WarnsOfEachThingOnce) {
  const auto all = [](auto change, int acks) {
    Facts facts;
    change(facts);
    return warnings(facts, acks);
  };
  const auto replicas = [](int count) { return [=](Facts& f) { f.replicas = count; }; };
  EXPECT_THAT(warnings(Facts(), 0), IsEmpty());
  EXPECT_THAT(all([](Facts& f) { f.evicts = true; }, 0),
              ElementsAre(HasSubstr("noeviction")));
  EXPECT_THAT(all([](Facts& f) { f.persists = false; }, 0),
              ElementsAre(HasSubstr("restart")));
  EXPECT_THAT(all(replicas(2), 0), ElementsAre(HasSubstr("?ack=1")));
  EXPECT_THAT(all(replicas(2), 1), IsEmpty());
  EXPECT_THAT(all(replicas(1), 2), ElementsAre(HasSubstr("every lock")));
}

}  // namespace
}  // namespace holdfast::redis

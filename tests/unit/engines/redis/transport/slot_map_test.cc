// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/slot_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::redis {
namespace {

const base::Host kAsked{"asked", 7000};

Reply parsed(std::string_view bytes) {
  ReplyReader reader;
  EXPECT_TRUE(reader.feed(bytes));
  auto reply = reader.next();
  return reply && *reply ? **std::move(reply) : Reply();
}

Result<std::vector<SlotRange>> slots(std::string_view bytes) {
  return read_slots(parsed(bytes).view(), kAsked);
}

std::optional<Redirection> redirection(std::string_view error) {
  return read_redirection(parsed("-" + std::string(error) + "\r\n").view(), kAsked);
}

TEST(RedisSlotMapTest, ReadsPrimariesAndReplicas) {
  const auto ranges = slots(
      "*2\r\n"
      "*4\r\n:0\r\n:5460\r\n"
      "*3\r\n$9\r\n127.0.0.1\r\n:7001\r\n$2\r\nid\r\n"
      "*3\r\n$5\r\nother\r\n:7002\r\n$2\r\nid\r\n"
      "*3\r\n:5461\r\n:16383\r\n"
      "*4\r\n$0\r\n\r\n:7003\r\n$2\r\nid\r\n*0\r\n");
  ASSERT_TRUE(ranges);
  ASSERT_EQ(ranges->size(), 2);
  EXPECT_EQ(ranges->at(0).last, 5460);
  EXPECT_EQ(ranges->at(0).primary, (base::Host{"127.0.0.1", 7001}));
  EXPECT_THAT(ranges->at(0).replicas, testing::ElementsAre(base::Host{"other", 7002}));
  EXPECT_EQ(ranges->at(1).first, 5461);
  EXPECT_EQ(ranges->at(1).primary, (base::Host{"asked", 7003}))
      << "the server does not know its own name";
}

TEST(RedisSlotMapTest, AServerWithoutANameIsTheOneThatWasAsked) {
  for (const std::string_view name : {"$-1\r\n", "$0\r\n\r\n", "$1\r\n?\r\n"}) {
    const auto ranges =
        slots("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n" + std::string(name) + ":7001\r\n");
    ASSERT_TRUE(ranges) << name;
    EXPECT_EQ(ranges->at(0).primary, (base::Host{"asked", 7001})) << name;
  }
}

TEST(RedisSlotMapTest, RefusesWhatNoClusterSays) {
  const Failure none = slots("*0\r\n").error();
  EXPECT_EQ(none.code, Errc::unavailable);
  EXPECT_THAT(none.context, testing::HasSubstr("any slots yet: assign them"));
  for (const std::string_view bad :
       {"+OK\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:0\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:65536\r\n"}) {
    EXPECT_EQ(slots(bad).error().code, Errc::incompatible) << bad;
    EXPECT_THAT(slots(bad).error().context, testing::HasSubstr(": check what runs"));
  }
}

std::vector<ClusterMember> members(const std::string& text) {
  const auto size = std::to_string(text.size());
  return read_members(parsed("$" + size + "\r\n" + text + "\r\n").view(), kAsked);
}

TEST(RedisSlotMapTest, KnowsAlsoTheReplicasThatAreDown) {
  const auto all = members(
      "p1 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460\n"
      "r1 127.0.0.1:7004@17004,host.example slave p1 0 0 1 connected\n"
      "r2 fe80::1:7005@17005 slave,fail p1 0 0 1 disconnected\n"
      "r3 127.0.0.1:7006@17006 slave,fail? p2 0 0 1 connected\n"
      "p2 :7002@17002 master - 0 0 2 connected 5461-16383\n");
  ASSERT_EQ(all.size(), 5);
  EXPECT_EQ(all[0].host, (base::Host{"127.0.0.1", 7001}));
  EXPECT_EQ(all[0].primary, "");
  EXPECT_EQ(all[1].host, (base::Host{"127.0.0.1", 7004}));
  EXPECT_EQ(all[1].primary, "p1");
  EXPECT_FALSE(all[1].failed);
  EXPECT_EQ(all[2].host, (base::Host{"fe80::1", 7005}));
  EXPECT_TRUE(all[2].failed);
  EXPECT_FALSE(all[3].failed) << "only one server believes it";
  EXPECT_EQ(all[4].host, (base::Host{"asked", 7002}));
  const base::Host replica{"127.0.0.1", 7004};
  EXPECT_EQ(count_replicas({0, 1, {}, "p1", {replica}}, all), 2);
  EXPECT_EQ(count_replicas({0, 1, {}, "p2", {}}, all), 1);
  EXPECT_EQ(count_replicas({0, 1, {}, "p3", {}}, all), 0);
  EXPECT_EQ(count_replicas({0, 1, {}, "", {}}, all), 0) << "an old server gives no ids";
  EXPECT_EQ(count_replicas({0, 1, {}, "p1", {replica}}, {}), 1)
      << "the user may not ask for the members";
}

TEST(RedisSlotMapTest, IgnoresMembersThatCannotBeReached) {
  EXPECT_THAT(members(""), testing::IsEmpty());
  EXPECT_THAT(members("a :0@0 master,noaddr - 0 0 1 disconnected\n"
                      "b 127.0.0.1:1@2 handshake - 0 0 0 connected\n"
                      "c nonsense\n\n"),
              testing::IsEmpty());
  EXPECT_THAT(
      read_members(parsed("-NOPERM this user has no permissions\r\n").view(), kAsked),
      testing::IsEmpty());
}

TEST(RedisSlotMapTest, ReadsRedirections) {
  const auto moved = redirection("MOVED 3999 10.0.0.7:6381");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->kind, Redirection::Kind::moved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->to, (base::Host{"10.0.0.7", 6381}));
  const auto ask = redirection("ASK 16383 fe80::1:6381");
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->kind, Redirection::Kind::ask);
  EXPECT_EQ(ask->to, (base::Host{"fe80::1", 6381}));
  EXPECT_EQ(redirection("MOVED 1 :7001")->to, (base::Host{"asked", 7001}));
}

TEST(RedisSlotMapTest, IgnoresBrokenRedirections) {
  for (const std::string_view bad :
       {"ERR no", "MOVED", "MOVED 1", "MOVED 1 host", "MOVED 16384 a:1", "MOVED x a:1",
        "MOVED 1 a:0", "MOVED 1 a:65536", "MOVED 1 a:", "MOVED  a:1", "ASKING 1 a:1"}) {
    EXPECT_FALSE(redirection(bad)) << bad;
  }
  EXPECT_FALSE(read_redirection(parsed("+MOVED 1 a:1\r\n").view(), kAsked));
}

TEST(RedisSlotMapTest, KnowsWhatPasses) {
  EXPECT_TRUE(is_passing(parsed("-TRYAGAIN Multiple keys ...\r\n").view()));
  EXPECT_TRUE(is_passing(parsed("-CLUSTERDOWN The cluster is down\r\n").view()));
  EXPECT_FALSE(is_passing(parsed("-WRONGTYPE ...\r\n").view()));
  EXPECT_FALSE(is_passing(parsed("+TRYAGAIN \r\n").view()));
}

}  // namespace
}  // namespace holdfast::redis

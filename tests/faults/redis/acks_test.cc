// ?ack=N: a lock counts only when so many replicas have it.

#include <gtest/gtest.h>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class RedisAcks : public testing::Test {
 protected:
  std::vector<std::string> replica_lines() const {
    return {"replicaof 127.0.0.1 " + std::to_string(master_.port())};
  }
  static bool follows(const RedisServer& replica) {
    return eventually([&] {
      const std::string info = replica.command({"INFO", "replication"});
      return info.find("master_link_status:up") != std::string::npos;
    });
  }

  RedisServer master_{{"repl-diskless-sync yes", "repl-diskless-sync-delay 0"}};
};

TEST_F(RedisAcks, EnoughReplicas) {
  const RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=1"));
  Mutex mutex(client, "a");
  for (int i = 0; i < 10; ++i) {
    auto hold = mutex.acquire();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(replica.command({"EXISTS", "a"}), "1") << "it has been acknowledged";
    EXPECT_TRUE(hold->release());
  }
}

TEST_F(RedisAcks, TooFewReplicas) {
  const RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=2&ack_time=100ms"));
  const auto refused = Mutex(client, "a").acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  EXPECT_TRUE(eventually([this] { return left_behind(master_).empty(); }))
      << left_behind(master_);
}

TEST_F(RedisAcks, AReplicaThatStandsStill) {
  RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=1&ack_time=100ms"));
  Mutex mutex(client, "a");
  const auto works = [&] {
    return mutex.acquire({.wait = Timeout::zero()}).has_value();
  };
  EXPECT_TRUE(eventually(works));
  replica.pause();
  EXPECT_FALSE(works());
  replica.resume();
  const auto after = mutex.acquire({.wait = patience()});
  EXPECT_TRUE(after) << after.error().message();
}

}  // namespace
}  // namespace holdfast::test

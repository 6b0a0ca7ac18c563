// SPDX-License-Identifier: Apache-2.0

// The program on a Redis Cluster whose servers want a password.

#include "support/redis_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPeer = "6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001:42";

class RedisClusterCli : public testing::Test {
 protected:
  // One server has the slot, and the others refuse.
  void peer_locks(const std::string& name) {
    int done = 0;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      if (cluster_[i].command({"HSET", name, kPeer, "1"}) == "1") ++done;
    }
    ASSERT_EQ(done, 1);
  }

  std::string addresses() const {
    std::string all;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      all +=
          (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(cluster_[i].port());
    }
    return all;
  }

  RedisCluster cluster_{3, 0, {"requirepass pw", "masterauth pw", "save 3600 1"}};
  Program holdfast_;
};

TEST_F(RedisClusterCli, RunsListsShowsAndUnlocks) {
  holdfast_.set("HOLDFAST_URL=redis+cluster://:pw@" + addresses());
  for (const std::string name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(holdfast_({"run", "-n", name, "--", "true"}).code, 0);
    peer_locks(name);
    EXPECT_EQ(holdfast_({"run", "-n", name, "--", "true"}).code, 75);
  }
  const auto listed = holdfast_({"ls"}).out;
  for (const std::string name : {"a", "b", "c", "d"}) {
    EXPECT_THAT(listed, ContainsRegex("mutex +1 +0 +" + name));
    EXPECT_THAT(holdfast_({"show", name}).out, HasSubstr(kPeer));
    EXPECT_EQ(holdfast_({"unlock", name, "--force"}).code, 0);
    EXPECT_EQ(holdfast_({"run", "-n", name, "--", "true"}).code, 0);
  }
}

TEST_F(RedisClusterCli, SeveralAddressesInAFileAreACluster) {
  const TempDir dir;
  const std::string file = dir.file("locks.conf");
  std::ofstream(file) << "type = redis\naddress = " << addresses()
                      << "\npassword = pw\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  for (const char* const name : {"a", "b", "c"}) {
    const auto ran = holdfast_({"run", "--config", file, name, "--", "echo", "in"});
    EXPECT_EQ(ran.out, "in\n") << ran.err;
  }
}

TEST_F(RedisClusterCli, AWarningOfAllServersIsOneLine) {
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    ASSERT_EQ(cluster_[i].command({"CONFIG", "SET", "save", ""}), "OK");
  }
  holdfast_.set("HOLDFAST_URL=redis+cluster://:pw@" + addresses());
  const auto ran = holdfast_({"run", "a", "--", "true"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    EXPECT_THAT(ran.err, HasSubstr(std::to_string(cluster_[i].port())));
  }
}

TEST_F(RedisClusterCli, ShowsTheServers) {
  holdfast_.set("HOLDFAST_URL=redis+cluster://:pw@" + addresses());
  const std::string first = "127.0.0.1:" + std::to_string(cluster_[0].port());
  const auto shown = holdfast_({"show", "--engine"}).out;
  EXPECT_THAT(shown,
              ContainsRegex("\n  server " + first +
                            ": role primary; slots 0-5460; version [0-9.]+; "
                            "replicas 0; persistence snapshots; eviction none\n"));
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    EXPECT_THAT(shown, HasSubstr(":" + std::to_string(cluster_[i].port()) + ": role"));
  }
  const auto json = holdfast_({"show", "--engine", "--json"}).out;
  EXPECT_THAT(json, HasSubstr("\"servers\":[{\"server\":\"127.0.0.1:"));
  EXPECT_THAT(json, HasSubstr("\"role\":\"primary\",\"slots\":\"0-5460\","));
  EXPECT_THAT(shown + json, Not(HasSubstr("pw")));
}

TEST(RedisClusterReplicasCli, AreShownWithTheirPrimaries) {
  RedisCluster cluster(3, 1);
  const auto address = [&](std::size_t server) {
    return "127.0.0.1:" + std::to_string(cluster[server].port());
  };
  Program holdfast;
  holdfast.set("HOLDFAST_URL=" + cluster.url("?ack=1"));
  const auto shown = holdfast({"show", "--engine"}).out;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(shown, HasSubstr("\n  server " + address(i + 3) + ": role replica of " +
                                 address(i) + "\n"));
  }
}

TEST_F(RedisClusterCli, AWrongPasswordIsOneSentence) {
  const auto refused =
      holdfast_({"run", "--url", "redis+cluster://" + addresses(), "a", "--", "true"});
  EXPECT_EQ(refused.code, 77);
  EXPECT_THAT(refused.err, HasSubstr("wants a password"));
}

}  // namespace
}  // namespace holdfast::test

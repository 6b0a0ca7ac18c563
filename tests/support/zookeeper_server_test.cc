// SPDX-License-Identifier: Apache-2.0

#include "support/zookeeper_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/zookeeper_ensemble.h"
#include "support/zookeeper_shared.h"
#include "support/zookeeper_shell.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(ZookeeperServer, AnswersWordsAndKeepsNodes) {
  const ZookeeperServer server;
  EXPECT_EQ(server.command("ruok"), "imok");
  ZookeeperShell shell(server.port());
  EXPECT_THAT(server.sessions(), ElementsAre(shell.session()));
  EXPECT_EQ(shell.create("/a", "one"), "/a");
  EXPECT_EQ(shell.create("/a/b-", "", ZOO_EPHEMERAL_SEQUENTIAL), "/a/b-0000000000");
  EXPECT_THAT(shell.children("/a"), ElementsAre("b-0000000000"));
  EXPECT_EQ(shell.stat("/a/b-0000000000").ephemeralOwner, shell.session());
  EXPECT_EQ(shell.get("/a"), "one");
  shell.set("/a", std::string(2, '\0'));
  EXPECT_EQ(shell.get("/a"), std::string(2, '\0'));
  EXPECT_EQ(shell.rights("/a"), "world:anyone 31");
  shell.remove("/a/b-0000000000");
  EXPECT_FALSE(shell.exists("/a/b-0000000000"));
  EXPECT_THROW(shell.get("/b"), std::runtime_error);
  EXPECT_EQ(server.figure("zk_ephemerals_count"), 0);
  EXPECT_GT(server.figure("zk_packets_received"), 5);
}

TEST(ZookeeperServer, RemembersOverAKillAndAStop) {
  ZookeeperServer server;
  ZookeeperShell shell(server.port());
  shell.create("/a", "1", ZOO_EPHEMERAL);
  const auto port = server.port();
  for (const bool kill : {true, false}) {
    kill ? server.kill() : server.stop();
    EXPECT_FALSE(server.running());
    EXPECT_FALSE(zookeeper_serves(port));
    server.start();
    ASSERT_EQ(server.port(), port);
    EXPECT_TRUE(eventually([&] { return !server.sessions().empty(); }));
    EXPECT_EQ(shell.get("/a"), "1");
  }
}

TEST(ZookeeperServer, StandsStill) {
  ZookeeperServer server;
  server.pause();
  EXPECT_THROW(ask_zookeeper(server.port(), "ruok", 50ms), std::runtime_error);
  server.resume();
  EXPECT_EQ(server.command("ruok"), "imok");
}

TEST(ZookeeperServer, RemovesEmptyContainersSoon) {
  const ZookeeperServer server;
  ZookeeperShell shell(server.port());
  shell.create("/a", "", ZOO_CONTAINER);
  shell.create("/a/b");
  shell.remove("/a/b");
  EXPECT_TRUE(eventually([&] { return !shell.exists("/a"); }, scaled(2s)));
}

TEST(ZookeeperServer, SaysWhyItDoesNotStart) {
  EXPECT_THROW(ZookeeperServer({"tickTime=never"}), std::runtime_error);
}

TEST(ZookeeperShell, EndsTheSessionOfAnother) {
  const ZookeeperServer server;
  ZookeeperShell shell(server.port());
  ZookeeperShell victim(server.port());
  victim.create("/a", "", ZOO_EPHEMERAL);
  ASSERT_EQ(shell.stat("/a").ephemeralOwner, victim.session());
  shell.expire(victim.session());
  EXPECT_FALSE(shell.exists("/a"));
}

TEST(ZookeeperShared, IsThereAndStays) {
  const std::uint16_t port = shared_zookeeper();
  EXPECT_EQ(shared_zookeeper(), port);
  ZookeeperShell shell(port);
  const std::string path = shell.create("/a-", "", ZOO_EPHEMERAL_SEQUENTIAL);
  EXPECT_TRUE(shell.exists(path));
}

TEST(ZookeeperLine, LosesRepliesAndRequests) {
  const ZookeeperServer server;
  FaultProxy line(server.port(), Protocol::zookeeper);
  ZookeeperShell shell(line.port());
  shell.create("/a");
  line.lose_replies(1);
  EXPECT_THROW(shell.create("/b"), std::runtime_error);
  EXPECT_TRUE(eventually([&] { return !server.sessions().empty(); }));
  EXPECT_TRUE(shell.exists("/b")) << "it was carried out";
  line.lose_requests(1, 1);
  EXPECT_TRUE(shell.exists("/a"));
  EXPECT_THROW(shell.create("/c"), std::runtime_error);
  EXPECT_TRUE(eventually([&] { return !server.sessions().empty(); }));
  EXPECT_FALSE(shell.exists("/c"));
  EXPECT_EQ(line.passed().at("create"), 2);
}

TEST(ZookeeperEnsemble, OutlivesItsLeader) {
  ZookeeperEnsemble ensemble;
  const std::size_t first = ensemble.leader();
  ZookeeperShell shell(ensemble[(first + 1) % 3].port());
  EXPECT_EQ(ensemble.of(shell.session()), (first + 1) % 3);
  shell.create("/a", "1");
  ensemble.kill(first);
  EXPECT_FALSE(ensemble[first].running());
  EXPECT_NE(ensemble.leader(), first);
  ensemble.start(first);
  ensemble.expect();
  EXPECT_EQ(ZookeeperShell(ensemble[first].port()).get("/a"), "1");
}

}  // namespace
}  // namespace holdfast::test

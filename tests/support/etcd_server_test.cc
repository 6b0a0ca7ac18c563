// SPDX-License-Identifier: Apache-2.0

#include "support/etcd_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "support/etcd_cluster.h"
#include "support/etcd_shell.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(EtcdServer, RemembersOverAKillAndAStop) {
  EtcdServer server;
  EtcdShell shell(server.port());
  shell.put("a", "1");
  for (const bool kill : {true, false}) {
    kill ? server.kill() : server.stop();
    EXPECT_FALSE(server.running());
    EXPECT_THROW(shell.get("a"), std::runtime_error);
    server.start();
    EXPECT_EQ(shell.get("a")->value, "1");
  }
}

TEST(EtcdServer, StandsStill) {
  EtcdServer server;
  EtcdShell shell(server.port());
  server.pause();
  EXPECT_THROW(shell.call("maintenance/status", "{}", 50ms), std::runtime_error);
  server.resume();
  EXPECT_TRUE(shell.leads());
}

TEST(EtcdServer, SaysWhyItDoesNotStart) {
  EXPECT_THROW(EtcdServer({"--listen-peer-urls", "http://192.0.2.1:1"}),
               std::runtime_error);
}

TEST(EtcdShell, KeepsAnyBytes) {
  const EtcdServer server;
  EtcdShell shell(server.port());
  const std::string odd("\0\xff\"{a", 5);
  for (std::size_t size = 0; size <= odd.size(); ++size) {
    shell.put("a" + odd.substr(0, size), odd.substr(odd.size() - size));
    EXPECT_EQ(shell.get("a" + odd.substr(0, size))->value,
              odd.substr(odd.size() - size));
  }
  EXPECT_EQ(shell.below("a" + odd.substr(0, 2)).size(), 4U);
  EXPECT_EQ(shell.below("").size(), 6U);
}

TEST(EtcdShell, TellsTheFactsOfAKey) {
  const EtcdServer server;
  EtcdShell shell(server.port());
  EXPECT_FALSE(shell.get("b"));
  shell.put("b", "1");
  shell.put("a", "2");
  shell.put("b", "3");
  const auto all = shell.below("");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.front().key, "b") << "the oldest first";
  EXPECT_EQ(all.front().changed, all.front().created + 2);
  EXPECT_EQ(shell.revision(), all.front().changed);
  EXPECT_TRUE(shell.remove("b"));
  EXPECT_FALSE(shell.remove("b"));
}

TEST(EtcdShell, EndsALeaseAndItsKeys) {
  const EtcdServer server;
  EtcdShell shell(server.port());
  const std::int64_t lease = shell.grant(60s);
  shell.put("a", "", lease);
  EXPECT_EQ(shell.get("a")->lease, lease);
  EXPECT_EQ(shell.leases(), std::vector{lease});
  shell.revoke(lease);
  EXPECT_FALSE(shell.get("a"));
  EXPECT_THROW(shell.revoke(lease), std::runtime_error);
  shell.compact();
  EXPECT_GT(shell.figure("etcd_debugging_mvcc_current_revision"), 2);
}

TEST(EtcdShell, SignsOn) {
  const EtcdServer server;
  EtcdShell shell(server.port());
  shell.call("auth/user/add", R"({"name":"root","password":"secret"})");
  shell.call("auth/user/grant", R"({"user":"root","role":"root"})");
  shell.call("auth/enable");
  EXPECT_THROW(shell.put("a", "1"), std::runtime_error);
  shell.sign_on("root", "secret");
  shell.put("a", "1");
  EXPECT_EQ(shell.get("a")->value, "1");
}

TEST(EtcdCluster, OutlivesItsLeader) {
  EtcdCluster cluster;
  const std::size_t first = cluster.leader();
  cluster.shell((first + 1) % 3).put("a", "1");
  cluster[first].kill();
  EXPECT_NE(cluster.leader(), first);
  cluster[first].start();
  cluster.expect();
  EXPECT_EQ(cluster.shell(first).get("a")->value, "1");
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/faults/zookeeper/ground.h - what the fault tests of ZooKeeper share.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/bad_line.h"
#include "faults/ground.h"
#include "faults/outages.h"
#include "faults/shared/rows.h"
#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/fault_proxy.h"
#include "support/scale.h"
#include "support/zookeeper_server.h"
#include "support/zookeeper_shell.h"

namespace holdfast::test {

// The server that all tests share, a root of this test's own on it, and a proxy that
// damages the connection.
class ZookeeperGround : public Ground {
 public:
  explicit ZookeeperGround(std::uint16_t port);
  ZookeeperGround();

  LostCalls lost_calls() override;
  std::string direct_url() const override;

  using Ms = std::chrono::milliseconds;
  Client open(Ms ttl = scaled(std::chrono::seconds(30))) const {  // through the proxy
    return open_quietly(line_.url(root_ + ZookeeperServer::kTickOption), ttl);
  }
  Client open_directly(Ms ttl = scaled(std::chrono::seconds(30))) const;

  std::string path(std::string_view name) const;

  // The nodes in the directory of a lock; empty also if there is no directory.
  std::vector<std::string> nodes(std::string_view name);
  testing::AssertionResult has_nodes(std::string_view name, std::size_t number);
  testing::AssertionResult has(
      std::string_view name,
      const std::function<bool(const std::vector<std::string>&)>& those);
  testing::AssertionResult has_claims(const engine::Address& at, std::size_t number);
  std::string only_node(std::string_view name);  // its path
  std::string other_node(
      const std::string& one);  // the path of the other in one directory
  std::int64_t session_of(const std::string& path);  // the session of the node

  // Ends the session; its client learns of that at once.
  void expire(std::int64_t session);

  const std::uint16_t port_;
  const std::string root_;
  ZookeeperShell shell_;
  FaultProxy line_;
  const BadLine bad_line_{
      line_, [this](Ms ttl) { return open(ttl); },
      [this](Ms ttl) { return open_directly(ttl); },
      [this](const engine::Address& at, std::size_t n) { return has_claims(at, n); }};
};

// A server of its own. The ttl is longer than a Java machine needs to begin.
class DurableZookeeper : public DurableGround {
 public:
  Outage killed() override {
    return {open_, ttl_, [this] { server_.kill(); }, [this] { server_.start(); }};
  }
  Outage stopped() override {
    return {open_, ttl_, [this] { server_.stop(); }, [this] { server_.start(); }};
  }

 private:
  const std::chrono::milliseconds ttl_ = scaled(std::chrono::seconds(10));
  ZookeeperServer server_;
  const std::function<Client()> open_ = [this] {
    return open_quietly(server_.url("/app") + ZookeeperServer::kTickOption, ttl_);
  };
};

class OnZookeeper : public testing::Test, protected ZookeeperGround {
 protected:
  using ZookeeperGround::ZookeeperGround;
};

}  // namespace holdfast::test

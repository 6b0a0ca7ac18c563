// SPDX-License-Identifier: Apache-2.0

// tests/faults/etcd/ground.h - what the fault tests of etcd share.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
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
#include "support/etcd_server.h"
#include "support/etcd_shell.h"
#include "support/fault_proxy.h"
#include "support/scale.h"

namespace holdfast::test {

// A server of its own, and a proxy that damages the connection to it.
class EtcdGround : public Ground {
 public:
  explicit EtcdGround(std::vector<std::string> arguments = {});

  LostCalls lost_calls() override;
  std::string direct_url() const override { return server_.url(kPrefix); }

  using Ms = std::chrono::milliseconds;
  Client open(Ms ttl = scaled(std::chrono::seconds(30))) const {  // through the proxy
    return open_quietly(line_.url(kPrefix), ttl);
  }
  Client open_directly(Ms ttl = scaled(std::chrono::seconds(30))) const {
    return open_quietly(direct_url(), ttl);
  }

  static std::string key(std::string_view name);  // N

  // The keys below N, the oldest first.
  std::vector<EtcdKey> keys(std::string_view name);
  testing::AssertionResult has_keys(std::string_view name, std::size_t number);
  testing::AssertionResult has_claims(const engine::Address& at, std::size_t number);
  EtcdKey only_key(std::string_view name);
  // The key of a mutex, N/<lease>, under the lease of the client that alone has locked
  // the mutex `locked`.
  std::string key_of_session(std::string_view name, const std::string& locked);

  static constexpr std::string_view kPrefix = "/app/locks";
  const Ms short_ = scaled(std::chrono::seconds(3));  // renewed every second

  EtcdServer server_;
  EtcdShell shell_;
  FaultProxy line_;
  const BadLine bad_line_{
      line_, [this](Ms ttl) { return open(ttl); },
      [this](Ms ttl) { return open_directly(ttl); },
      [this](const engine::Address& at, std::size_t n) { return has_claims(at, n); }};
};

class DurableEtcd : public DurableGround, private EtcdGround {
 public:
  Outage killed() override {
    return {open_, ttl_, [this] { server_.kill(); }, [this] { server_.start(); }};
  }
  Outage stopped() override {
    return {open_, ttl_, [this] { server_.stop(); }, [this] { server_.start(); }};
  }

 private:
  const Ms ttl_ = scaled(std::chrono::seconds(2));
  const std::function<Client()> open_ = [this] { return open_directly(ttl_); };
};

class OnEtcd : public testing::Test, protected EtcdGround {
 protected:
  using EtcdGround::EtcdGround;
};

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/faults/mysql/ground.h - what the tests of a broken MariaDB have in common.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "faults/bad_line.h"
#include "faults/ground.h"
#include "faults/outages.h"
#include "faults/shared/rows.h"
#include "holdfast/client_options.h"
#include "holdfast/mutex.h"
#include "support/fault_proxy.h"
#include "support/mysql_server.h"
#include "support/scale.h"

namespace holdfast::test {

// Each test has a server of its own with the tables in "locks", and a faulty connection
// to it. Clients log in as a user that has the rights that the manual lists, and no
// more.
class MysqlGround : public Ground {
 public:
  explicit MysqlGround(std::vector<std::string> arguments = {},
                       std::vector<std::string> environment = {});

  LostCalls lost_calls() override;
  std::string direct_url() const override { return server_.url("/locks"); }
  void expect_no_claims() override;

  using Ms = std::chrono::milliseconds;
  Client open(
      Ms ttl = scaled(std::chrono::seconds(30))) const {  // over the faulty connection
    return open_quietly(server_.url("/locks", line_.port()), ttl);
  }
  Client open_directly(Ms ttl = scaled(std::chrono::seconds(30))) const {
    return open_quietly(direct_url(), ttl);
  }

  // Returns whether the lock, of any kind, was acquired.
  template <class Lock>
  static std::future<bool> enter(Lock& lock) {
    return std::async(std::launch::async, [&lock] {
      return lock.acquire({.wait = patience()}).has_value();
    });
  }

  // Lets `mutex` find its name taken so often that its client takes it for contended.
  static void find_taken_often(Mutex& holder, Mutex& mutex);

  // Returns one column of a name's row, "NULL" if it is null, nothing if there is no
  // row.
  std::string column(const std::string& what, const std::string& name);
  void set(const std::string& assignments, const std::string& name);

  // Counts the sessions that are in GET_LOCK. A waiter of a mutex has no row before it
  // has waited for a while.
  std::vector<MysqlSession> sessions(bool waiting);
  testing::AssertionResult has_waiters(std::size_t number);
  // Counts the claims whose time is not over.
  testing::AssertionResult has_claims(const engine::Address& at, std::size_t number);

  void kill(const std::vector<MysqlSession>& sessions);

  const Ms short_ = scaled(std::chrono::seconds(3));  // renewed every second

  MysqlServer server_;
  MysqlShell shell_;
  FaultProxy line_;
  const BadLine bad_line_{
      line_, [this](Ms ttl) { return open(ttl); },
      [this](Ms ttl) { return open_directly(ttl); },
      [this](const engine::Address& at, std::size_t n) { return has_claims(at, n); }};
};

class DurableMysql : public DurableGround, private MysqlGround {
 public:
  Outage killed() override {
    return {open_, ttl_, [this] { server_.kill(); }, [this] { server_.start(); }};
  }
  Outage stopped() override {
    return {open_, ttl_, [this] { server_.stop(); }, [this] { server_.start(); }};
  }

 private:
  const Ms ttl_ = short_;
  const std::function<Client()> open_ = [this] { return open_directly(ttl_); };
};

class OnMysql : public testing::Test, protected MysqlGround {
 protected:
  using MysqlGround::MysqlGround;
};

}  // namespace holdfast::test

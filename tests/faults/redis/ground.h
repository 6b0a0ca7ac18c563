// SPDX-License-Identifier: Apache-2.0

// tests/faults/redis/ground.h - what the tests of a broken Redis have in common.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "faults/bad_line.h"
#include "faults/ground.h"
#include "faults/outages.h"
#include "faults/shared/rows.h"
#include "holdfast/client_options.h"
#include "support/fault_proxy.h"
#include "support/redis_server.h"
#include "support/scale.h"

namespace holdfast::test {

// The keys in database 0 that no client needs any more, separated by blanks. Needed are
// `but`, fencing tokens, and for some minutes the notes that make a late packet
// harmless: "given up", and the outcome of a change to a register.
std::string left_behind(const RedisServer& server,
                        const std::set<std::string>& but = {});

// Returns how many commands scripts have run since CONFIG RESETSTAT.
long calls_in_scripts(const RedisServer& server);

// Whether so many hold it or wait for it, or soon will; none: nor is anything else left
// behind, except by kinds that have a number.
testing::AssertionResult has_claims(const RedisServer& server,
                                    const engine::Address& at, std::size_t number);

// Several threads renew at once, each the claims that it has, and take others
// meanwhile: whatever the number of claims that are renewed, each has its own outcome.
void expect_renewals_side_by_side(const Client& client);

// Repeats a call of the waist until its outcome is known.
template <class Call>
auto persist(Call call) {
  const auto end = Clock::now() + patience();
  auto result = call(end);
  while (!result && Clock::now() < end &&
         (result.error().code == Errc::outcome_unknown ||
          result.error().code == Errc::unavailable)) {
    result = call(end);
  }
  return result;
}

// A server of its own, and a bad line to it.
class RedisGround : public Ground {
 public:
  LostCalls lost_calls() override;
  std::string direct_url() const override { return server_.url(); }
  int calls() const;  // of scripts, through the proxy

  using Ms = std::chrono::milliseconds;
  Client open(Ms ttl = scaled(std::chrono::seconds(30))) const {  // over the line
    return open_quietly(line_.url(), ttl);
  }
  Client open_directly(Ms ttl = scaled(std::chrono::seconds(30))) const {
    return open_quietly(server_.url(), ttl);
  }

  RedisServer server_;
  FaultProxy line_{server_.port()};
  const BadLine bad_line_{line_, [this](Ms ttl) { return open(ttl); },
                          [this](Ms ttl) { return open_directly(ttl); },
                          [this](const engine::Address& at, std::size_t number) {
                            return has_claims(server_, at, number);
                          }};
};

// A server that has every grant on its disk before it answers.
class DurableRedis : public DurableGround {
 public:
  static std::vector<std::string> lines() {
    return {"appendonly yes", "appendfsync always"};
  }
  Outage killed() override {
    return {open_, ttl_, [this] { server_.kill(); }, [this] { server_.start(); }};
  }
  Outage stopped() override {
    return {open_, ttl_, [this] { server_.stop(); }, [this] { server_.start(); }};
  }

 private:
  const std::chrono::milliseconds ttl_ = scaled(std::chrono::milliseconds(1500));
  RedisServer server_{lines()};
  const std::function<Client()> open_ = [this] {
    return open_quietly(server_.url(), ttl_);
  };
};

class OnRedis : public testing::Test, protected RedisGround {};

}  // namespace holdfast::test

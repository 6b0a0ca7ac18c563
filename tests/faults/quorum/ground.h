// SPDX-License-Identifier: Apache-2.0

// tests/faults/quorum/ground.h - five Redis servers that know nothing of each
// other.

#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "faults/redis/ground.h"
#include "holdfast/client.h"
#include "support/redis_server.h"

namespace holdfast::test {

class Five : public testing::Test {
 protected:
  static constexpr std::size_t kNodes = 5;

  // Opens a client that logs no warnings.
  Client open(std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30))) {
    return open_quietly(url(), ttl);
  }
  std::string url() const;

  // Counts the clients that have a subscription at the node for the mutex of that name.
  // The node has no other trace of a waiter. Some seconds after the last wait there is
  // none again.
  long subscribers(std::size_t node, const std::string& mutex) const;
  bool has_waiter(const std::string& mutex) const;

  // Returns whether nothing is left at the node that a client would have to wait for.
  bool is_clean(std::size_t node) const;

  std::array<RedisServer, kNodes> servers_;
};

}  // namespace holdfast::test

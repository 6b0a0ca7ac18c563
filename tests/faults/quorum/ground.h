// tests/faults/quorum/ground.h - five redis-servers that know nothing of each other.

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

  // A client that keeps its warnings to itself.
  Client open(std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30))) {
    return open_quietly(url(), ttl);
  }
  std::string url() const;

  // How many clients have an ear at the node for the mutex of that name. Who waits is
  // not written down anywhere else. Some seconds after the last wait it is none again.
  long majority_waker(std::size_t node, const std::string& mutex) const;
  bool somebody_waits(const std::string& mutex) const;

  // Whether nothing is left at the node that anybody would have to wait for.
  bool is_clean(std::size_t node) const;

  std::array<RedisServer, kNodes> servers_;
};

}  // namespace holdfast::test

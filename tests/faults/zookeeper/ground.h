// tests/faults/zookeeper/ground.h - what the tests of a broken ZooKeeper have in
// common.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/fault_proxy.h"
#include "support/scale.h"
#include "support/zookeeper_shell.h"

namespace holdfast::test {

// A client that keeps its warnings to itself: trouble is expected here.
Client open_quietly(const std::string& url,
                    std::chrono::milliseconds ttl = scaled(std::chrono::seconds(30)));

// The server that all tests share, a root of this test's own on it, and a bad line.
class OnZookeeper : public testing::Test {
 protected:
  explicit OnZookeeper(std::uint16_t port);
  OnZookeeper();

  using Ms = std::chrono::milliseconds;
  Client open(Ms ttl = scaled(std::chrono::seconds(30))) const {  // over the line
    return open_quietly(line_.url(root_), ttl);
  }
  Client open_directly(Ms ttl = scaled(std::chrono::seconds(30))) const;

  std::string path(std::string_view name) const;

  // The nodes in the directory of a lock; none: nor is the directory there.
  std::vector<std::string> nodes(std::string_view name);
  testing::AssertionResult has_nodes(std::string_view name, std::size_t number);
  std::string only_node(std::string_view name);  // its path
  std::string other_node(
      const std::string& one);  // the path of the other in one directory
  std::int64_t session_of(const std::string& path);  // whose node it is

  // Its client learns of it at once.
  void expire(std::int64_t session);

  const std::uint16_t port_;
  const std::string root_;
  ZookeeperShell shell_;
  FaultProxy line_;
};

// Waits for the lock in a thread of its own: when it got in, and with which token.
struct Entered {
  Clock::time_point at = Clock::time_point::max();
  FencingToken token;
  std::string why_not;
};
std::future<Entered> wait_for(Mutex& mutex);

// Whether it is not over yet after some time.
bool still_waits(const std::future<Entered>& entered);

}  // namespace holdfast::test

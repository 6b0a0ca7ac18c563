// SPDX-License-Identifier: Apache-2.0

// tests/interop/zookeeper/zookeeper_interop.h - the fixture of tests about ZooKeeper.

#pragma once

#include "interop/interop.h"
#include "support/zookeeper_server.h"

namespace holdfast::test {

ZookeeperServer& zookeeper();  // the server of all tests

class ZookeeperInterop : public Interop {
 protected:
  const std::string lock = name("lock");
  const std::string path = "/" + lock;

  // Returns the nodes below a path, as Java sees them.
  static std::vector<std::string> children(const std::string& path);

  // Waits until there is this number of nodes.
  static testing::AssertionResult children_are(const std::string& path,
                                               std::size_t number);
};

}  // namespace holdfast::test

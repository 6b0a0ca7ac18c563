// SPDX-License-Identifier: Apache-2.0

// tests/support/zookeeper_shared.h - one ZooKeeper for many test processes.
//
//   FaultProxy line(shared_zookeeper(), Protocol::zookeeper);
//
// A Java machine for every test would take longer than the tests. The first process
// that asks starts a keeper, and the keeper starts a server; both end some seconds
// after the last process that asked has ended, however it ended. No test may stop this
// server: a test that needs to has a ZookeeperServer of its own.

#pragma once

#include <cstdint>

namespace holdfast::test {

// Returns the port of a server that runs until this process ends. Throws as
// ZookeeperServer does. The function is safe for concurrent use.
std::uint16_t shared_zookeeper();

}  // namespace holdfast::test

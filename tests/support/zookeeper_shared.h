// tests/support/zookeeper_shared.h - one ZooKeeper for many test processes.
//
//   FaultProxy line(shared_zookeeper(), Protocol::zookeeper);
//
// A Java machine for every test would take longer than the tests. The first process
// that asks starts a keeper, and the keeper a server; both end some seconds after the
// last process that asked has ended, however it ended. Nobody may stop this server:
// who wants to has a ZookeeperServer of its own.

#pragma once

#include <cstdint>

namespace holdfast::test {

// The port of a server that is there until this process ends. Throws as
// ZookeeperServer does. Safe for concurrent use.
std::uint16_t shared_zookeeper();

}  // namespace holdfast::test

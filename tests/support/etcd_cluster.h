// SPDX-License-Identifier: Apache-2.0

// tests/support/etcd_cluster.h - a cluster of three etcd servers.
//
//   EtcdCluster cluster;
//   Client client = Client::open(cluster.url()).value();
//   cluster[cluster.leader()].kill();
//   cluster.expect();                  // the others have elected a new leader

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/etcd_server.h"
#include "support/etcd_shell.h"

namespace holdfast::test {

// The class is not safe for concurrent use. It throws as EtcdServer does.
class EtcdCluster {
 public:
  static constexpr std::size_t kServers = 3;

  // Elections take longer than with a single server, since all three share a machine; a
  // lease may still be as short as a second.
  EtcdCluster();

  EtcdServer& operator[](std::size_t i) { return *servers_[i]; }
  EtcdShell shell(std::size_t i) const { return EtcdShell(servers_[i]->port()); }

  // `first` comes first among the addresses.
  std::string url(std::string_view rest = {}, std::size_t first = 0) const;

  // Returns the server that leads. Throws std::runtime_error if none does within a
  // test's patience.
  std::size_t leader() const;

  // Waits until every running server serves clients. None may be paused.
  void expect();

 private:
  std::vector<std::unique_ptr<EtcdServer>> servers_;
};

}  // namespace holdfast::test

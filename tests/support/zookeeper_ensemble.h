// SPDX-License-Identifier: Apache-2.0

// tests/support/zookeeper_ensemble.h - an ensemble of three ZooKeeper servers.
//
//   ZookeeperEnsemble ensemble;
//   Client client = Client::open(ensemble.url()).value();
//   ensemble.kill(ensemble.leader());
//   ensemble.expect();                  // the others have elected a new leader

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/fault_proxy.h"
#include "support/zookeeper_server.h"

namespace holdfast::test {

// The class is not safe for concurrent use. It throws as ZookeeperServer does.
class ZookeeperEnsemble {
 public:
  static constexpr std::size_t kServers = 3;

  ZookeeperEnsemble();

  // The first server is a follower, and reaches the leader over lines that can be cut;
  // it does not give up its leader while a test lasts.
  static ZookeeperEnsemble with_a_remote_follower();

  // Cuts or restores the lines between that follower and the leader.
  void cut_off_follower(bool on);

  ZookeeperServer& operator[](std::size_t i) { return *servers_[i]; }

  std::string url(std::string_view rest = {}) const;

  // Returns the server that leads. Throws std::runtime_error if none does within a
  // test's patience.
  std::size_t leader() const;

  // Returns the server that this session is connected to.
  std::optional<std::size_t> of(std::int64_t session) const;

  void kill(std::size_t i) { servers_[i]->kill(); }
  void start(std::size_t i) { servers_[i]->start(); }

  // Waits until every running server serves clients.
  void expect();

 private:
  using Lines = std::vector<std::unique_ptr<FaultProxy>>;
  explicit ZookeeperEnsemble(bool remote);
  void launch(bool remote);

  Lines lines_;  // from the first server to the others
  std::vector<std::unique_ptr<ZookeeperServer>> servers_;
};

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// shop/servers/ensemble.h - servers that agree by majority: etcd and ZooKeeper.
//
//   Ensemble ensemble = start_etcd(dir, 3);
//   Client::open("etcd://" + ensemble.hosts());
//   ensemble.kill_leader();   // The other two go on.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "servers/child.h"

namespace holdfast::shop {

// Its members end with it. It is not safe for concurrent use.
class Ensemble {
 public:
  // `leads` is what only the log of a leader says.
  Ensemble(std::vector<Child> members, std::vector<std::uint16_t> ports,
           std::string leads);

  // For clients, as in "127.0.0.1:4001,127.0.0.1:4002".
  std::string hosts() const;
  std::uint16_t first_port() const { return ports_.front(); }

  // Kills the member that was the first to lead.
  void kill_leader();

 private:
  std::vector<Child> members_;
  std::vector<std::uint16_t> ports_;
  std::string leads_;
};

// Start this many members, with their files in the folder, and wait until they serve.
// One of them alone works, too. They throw Trouble.
Ensemble start_etcd(const std::string& dir, std::size_t members);
Ensemble start_zookeeper(const std::string& dir, std::size_t members);

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// bench/redis_cluster/cluster.h - a Redis Cluster of our own, which keeps nothing on
// disk but its configuration.

#pragma once

#include <deque>
#include <string>
#include <vector>

#include "redis/server.h"

namespace holdfast::bench::redis_cluster {

class Cluster {
 public:
  // The primaries share the slots evenly. They keep their files in `dir`. Throws
  // std::runtime_error.
  Cluster(int primaries, const std::string& dir);

  const std::deque<redis::Server>& servers() const noexcept { return servers_; }
  std::string url() const;

  // These are sums over the servers.
  double cpu_seconds() const;
  double calls(const std::vector<std::string>& commands) const;

 private:
  void expect_whole() const;

  std::deque<redis::Server> servers_;
};

}  // namespace holdfast::bench::redis_cluster

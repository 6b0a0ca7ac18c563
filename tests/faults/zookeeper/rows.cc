// SPDX-License-Identifier: Apache-2.0

#include "faults/zookeeper/ground.h"

namespace holdfast::test {

// The ttl is longer than the pauses of a busy Java machine. The library leaves a
// connection when it wants to.
std::vector<Row> rows() {
  return {{.name = "zookeeper",
           .make = [] { return std::make_unique<ZookeeperGround>(); },
           .make_durable = [] { return std::make_unique<DurableZookeeper>(); },
           .ttl_of_killed = scaled(std::chrono::seconds(3)),
           .lost_renewals = LostRenewals{.steps = 4, .ttls = 1}}};
}

}  // namespace holdfast::test

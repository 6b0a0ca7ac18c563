// SPDX-License-Identifier: Apache-2.0

#include "faults/redis/ground.h"

namespace holdfast::test {

// An attempt that is repeated renews the lease.
std::vector<Row> rows() {
  return {{.name = "redis",
           .make = [] { return std::make_unique<RedisGround>(); },
           .make_durable = [] { return std::make_unique<DurableRedis>(); },
           .ttl_of_killed = scaled(std::chrono::seconds(1)),
           .leaves_connections = true}};
}

}  // namespace holdfast::test

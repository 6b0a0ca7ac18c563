// SPDX-License-Identifier: Apache-2.0

#include "faults/etcd/ground.h"

namespace holdfast::test {

// Keep-alives use the connection of the streams, and the checks of a renewal use the
// one whose calls are lost.
std::vector<Row> rows() {
  return {{.name = "etcd",
           .make = [] { return std::make_unique<EtcdGround>(); },
           .make_durable = [] { return std::make_unique<DurableEtcd>(); },
           .leaves_connections = true,
           .calls_before_opening = 1,
           .lost_renewals = LostRenewals{}}};
}

}  // namespace holdfast::test

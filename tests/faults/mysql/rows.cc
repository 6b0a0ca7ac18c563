// SPDX-License-Identifier: Apache-2.0

#include "faults/mysql/ground.h"

namespace holdfast::test {

std::vector<Row> rows() {
  return {{.name = "mysql",
           .make = [] { return std::make_unique<MysqlGround>(); },
           .make_durable = [] { return std::make_unique<DurableMysql>(); },
           .leaves_connections = true,
           .attempts_keep_lease = true,
           .calls_before_opening = 3,
           .lost_renewals = LostRenewals{.calls = 2}}};
}

}  // namespace holdfast::test

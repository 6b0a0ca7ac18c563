// SPDX-License-Identifier: Apache-2.0

// A server ends and begins again under clients that hold and wait.

#include "faults/outages.h"
#include "faults/shared/rows.h"

namespace holdfast::test {
namespace {

class DurableServers : public testing::TestWithParam<Row> {
 protected:
  const std::unique_ptr<DurableGround> ground_ = GetParam().make_durable();
};

TEST_P(DurableServers, KeepAHold) { a_hold_outlives_a_restart(ground_->killed()); }
TEST_P(DurableServers, KeepAClaimWhenTheyAreStopped) {
  a_claim_outlives_a_restart(ground_->stopped());
}
TEST_P(DurableServers, KeepASaleGoingOn) {
  a_sale_outlives_restarts(ground_->killed());
}

INSTANTIATE_TEST_SUITE_P(, DurableServers, testing::ValuesIn(rows()), name_of);

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/deadline.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

bool has_passed(engine::Deadline until) {
  const auto at = to_timespec(until);
  return gpr_time_cmp(at, gpr_now(GPR_CLOCK_MONOTONIC)) <= 0;
}

TEST(EtcdDeadlineTest, HasPassedForGrpcWhenItHasForUs) {
  EXPECT_TRUE(has_passed(engine::Deadline::min()));
  EXPECT_TRUE(has_passed(engine::Deadline{}));
  EXPECT_TRUE(has_passed(Clock::now()));
}

TEST(EtcdDeadlineTest, IsAsFarAwayForGrpcAsForUs) {
  const auto before = gpr_now(GPR_CLOCK_MONOTONIC);
  const auto at = to_timespec(Clock::now() + std::chrono::hours(30));
  EXPECT_NEAR(gpr_timespec_to_micros(gpr_time_sub(at, before)), 30 * 3600 * 1e6, 60e6);
  EXPECT_EQ(gpr_time_cmp(to_timespec(engine::Deadline::max()),
                         gpr_inf_future(GPR_CLOCK_MONOTONIC)),
            0);
}

}  // namespace
}  // namespace holdfast::etcd

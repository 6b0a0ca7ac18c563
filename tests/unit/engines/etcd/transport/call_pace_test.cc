// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/call_pace.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

using namespace std::chrono_literals;

class CallPaceTest : public testing::Test {
 protected:
  // Returns how often it was time to ask.
  int call(std::uint32_t times) {
    int asked = 0;
    for (std::uint32_t i = 0; i < times; ++i) {
      asked += pace_.begin() ? 1 : 0;
      pace_.end();
    }
    return asked;
  }

  CallPace pace_;
  const Clock::time_point start_ = Clock::time_point{} + 1h;
};

TEST_F(CallPaceTest, IsAskedOnceInManyCalls) {
  EXPECT_EQ(call(CallPace::kMany - 1), 0);
  EXPECT_EQ(call(1), 1);
  EXPECT_EQ(call(10 * CallPace::kMany), 10);
}

TEST_F(CallPaceTest, ManyCallsInAShortTimeAreFast) {
  call(CallPace::kMany);
  EXPECT_FALSE(pace_.is_fast(start_));  // it is not known when they began
  EXPECT_FALSE(pace_.is_fast(start_ + 1ms));
  call(CallPace::kMany);
  EXPECT_TRUE(pace_.is_fast(start_ + CallPace::kWithin));
}

TEST_F(CallPaceTest, FewCallsAreNotFast) {
  call(CallPace::kMany);
  pace_.is_fast(start_);
  call(CallPace::kMany - 1);
  EXPECT_FALSE(pace_.is_fast(start_ + 1ms));
  call(1);
  EXPECT_TRUE(pace_.is_fast(start_ + 2ms));
}

TEST_F(CallPaceTest, ManyCallsInALongTimeAreNotFast) {
  call(CallPace::kMany);
  pace_.is_fast(start_);
  call(CallPace::kMany);
  EXPECT_FALSE(pace_.is_fast(start_ + CallPace::kWithin + 1ms));
}

TEST_F(CallPaceTest, GoesOnWhileCallsBeginOrAreUnderWay) {
  EXPECT_FALSE(pace_.goes_on(start_));
  call(1);
  EXPECT_TRUE(pace_.goes_on(start_));
  EXPECT_FALSE(pace_.goes_on(start_));
  pace_.begin();
  EXPECT_TRUE(pace_.goes_on(start_));
  EXPECT_TRUE(pace_.goes_on(start_));
  pace_.end();
  EXPECT_FALSE(pace_.goes_on(start_));
}

}  // namespace
}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// Latch and Barrier outlive the client that set them. The waiting for them is in
// blocking_primitives_test.cc.

#include "holdfast/latch.h"

#include <gtest/gtest.h>

#include "conformance/conformance.h"
#include "holdfast/barrier.h"

namespace holdfast::test {
namespace {

class Latches : public Conformance {
 protected:
  Latch latch() { return {open(), name("a")}; }
};
HOLDFAST_CONFORMANCE(Latches);

TEST_P(Latches, AreOpenUntilTheyAreSet) {
  EXPECT_TRUE(latch().wait(once_));
  EXPECT_EQ(latch().count().value(), 0);
  EXPECT_EQ(latch().count_down().value(), 0) << "an open latch stays open";
  EXPECT_TRUE(latch().wait(once_));
}

TEST_P(Latches, CountDownToZeroAndCanBeSetAgain) {
  auto one = latch();
  auto other = latch();
  EXPECT_TRUE(one.set_count(3).value());
  EXPECT_FALSE(other.set_count(9).value()) << "it is closed";
  EXPECT_TRUE(timed_out(other.wait(once_)));
  EXPECT_EQ(other.count_down().value(), 2);
  EXPECT_EQ(one.count().value(), 2);
  EXPECT_EQ(one.count_down(5).value(), 0);
  EXPECT_TRUE(other.wait(once_));
  EXPECT_EQ(other.count().value(), 0);
  EXPECT_TRUE(other.set_count(1).value());
  EXPECT_TRUE(timed_out(one.wait(once_)));
  EXPECT_EQ(one.count_down().value(), 0);
}

TEST_P(Latches, RefuseWhatIsNoCount) {
  for (const std::int64_t bad : {0, -1}) {
    const auto set = latch().set_count(bad);
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().code, Errc::bad_argument);
    const auto down = latch().count_down(bad);
    ASSERT_FALSE(down);
    EXPECT_EQ(down.error().code, Errc::bad_argument);
  }
}

TEST_P(Latches, BarriersAreSetOnceAndRemovedOnce) {
  Barrier one(open(), name("b"));
  Barrier other(open(), name("b"));
  EXPECT_FALSE(one.is_set().value());
  EXPECT_FALSE(one.remove().value());
  EXPECT_TRUE(one.set().value());
  EXPECT_FALSE(other.set().value());
  EXPECT_TRUE(other.is_set().value());
  EXPECT_TRUE(timed_out(other.wait(once_)));
  EXPECT_TRUE(other.remove().value());
  EXPECT_TRUE(one.wait(once_));
}

}  // namespace
}  // namespace holdfast::test

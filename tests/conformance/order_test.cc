// SPDX-License-Identifier: Apache-2.0

// Grants are in order of arrival, where the engine promises it.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

class Order : public Conformance {
 protected:
  engine::Address address() const { return {kind_of(GetParam().of), name("a")}; }

  std::unique_ptr<ClaimLock> place() {
    return std::make_unique<ClaimLock>(open(), address(), engine::Claim{.capacity = 1});
  }
};

HOLDFAST_CONFORMANCE(Order, {Shape::mutex, Shape::fair_mutex, Shape::shared_mutex,
                             Shape::semaphore});

TEST_P(Order, IsThatOfArrival) {
  ASSERT_TRUE(open().traits(address().kind).orders);
  std::vector<std::unique_ptr<ClaimLock>> places;
  for (int i = 0; i < 6; ++i) {
    places.push_back(place());
    ASSERT_EQ(places.back()->begin(), i == 0);
  }
  for (std::size_t first = 0; first < places.size(); ++first) {
    for (std::size_t i = places.size(); i-- > first;) {
      EXPECT_EQ(places[i]->again(), i == first) << i << " after " << first << " left";
    }
    ASSERT_TRUE(places[first]->release());
  }
}

TEST_P(Order, CloseUpWhenAWaiterLeaves) {
  const auto first = place();
  const auto second = place();
  const auto third = place();
  ASSERT_TRUE(first->begin());
  ASSERT_FALSE(second->begin());
  ASSERT_FALSE(third->begin());
  ASSERT_TRUE(second->release());
  EXPECT_FALSE(third->again());
  ASSERT_TRUE(first->release());
  EXPECT_TRUE(third->again());
}

TEST_P(Order, ANewcomerDoesNotOvertakeAWaiter) {
  const auto first = place();
  const auto second = place();
  const auto newcomer = place();
  ASSERT_TRUE(first->begin());
  ASSERT_FALSE(second->begin());
  ASSERT_TRUE(first->release());
  EXPECT_FALSE(newcomer->acquire({.wait = Timeout::zero()}));
  EXPECT_TRUE(second->again());
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// The barrier and the double barrier of the peer are our Barrier and DoubleBarrier.

#include <future>

#include "holdfast/barrier.h"
#include "holdfast/double_barrier.h"
#include "interop/recipes.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const milliseconds kMeanwhile = scaled(milliseconds(200));

class Meetings : public RecipeTest {
 protected:
  const Client client = open("Barrier");
  const milliseconds prompt = scaled(recipes().prompt);
};

TEST_F(Meetings, ThePeersBarrierKeepsUsOut) {
  Barrier barrier(client, lock);
  ASSERT_EQ(peer().ask("t", "shut", lock).said, "ok");
  EXPECT_TRUE(barrier.is_set().value());
  EXPECT_EQ(barrier.wait({.wait = kMeanwhile}).error(), Errc::timed_out);
  auto ours = std::async(std::launch::async, [&] {
    EXPECT_TRUE(barrier.wait({.wait = patience()}));
    return steady_clock::now();
  });
  EXPECT_EQ(ours.wait_for(kMeanwhile), std::future_status::timeout);
  ASSERT_TRUE(barrier_is_awaited(lock));
  const Answer opened = peer().ask("t", "open", lock);
  EXPECT_LT(ours.get() - opened.began, prompt);
}

TEST_F(Meetings, OurBarrierKeepsThePeerOut) {
  Barrier barrier(client, lock);
  EXPECT_TRUE(barrier.set().value());
  EXPECT_EQ(peer().ask("t", "await", lock, kMeanwhile).said, "timeout");
  EXPECT_EQ(peer().ask("t", "shut", lock).said, recipes().shut_twice);
  peer().tell("t", "await", lock, patience());
  ASSERT_TRUE(barrier_is_awaited(lock));
  const auto opened = steady_clock::now();
  EXPECT_TRUE(barrier.remove().value());
  const Answer answer = peer().answer("t");
  ASSERT_EQ(answer.said, "ok") << answer.value;
  EXPECT_LT(answer.ended - opened, prompt);
}

TEST_F(Meetings, PartiesOfBothSidesEnterAndLeaveTogether) {
  DoubleBarrier barrier(client, lock, 3);
  for (int round = 0; round < 3; ++round) {
    peer().tell("a", "enter", lock, 3, patience());
    peer().tell("b", "enter", lock, 3, patience());
    ASSERT_TRUE(parties_are(lock, 2));
    EXPECT_EQ(peer().answer("a", kMeanwhile).said, "");
    barrier.enter({.wait = patience()}).value();
    EXPECT_EQ(peer().answer("a").said, "ok");
    EXPECT_EQ(peer().answer("b").said, "ok");

    if (recipes().leaves_before_us) peer().tell("a", "leave", lock, patience());
    EXPECT_EQ(code_of(barrier.leave({.wait = kMeanwhile})), Errc::timed_out);
    if (!recipes().leaves_before_us) peer().tell("a", "leave", lock, patience());
    EXPECT_EQ(peer().answer("a", kMeanwhile).said, "");
    peer().tell("b", "leave", lock, patience());
    EXPECT_TRUE(barrier.leave({.wait = patience()}));
    EXPECT_EQ(peer().answer("a").said, "ok");
    EXPECT_EQ(peer().answer("b").said, "ok");
    EXPECT_TRUE(nothing_is_left(lock));
  }
}

TEST_F(Meetings, WeWaitForTheLastPartyOfThePeer) {
  DoubleBarrier barrier(client, lock, 2);
  auto ours = std::async(std::launch::async,
                         [&] { return barrier.enter({.wait = patience()}); });
  ASSERT_TRUE(parties_are(lock, 1));
  EXPECT_EQ(peer().ask("a", "enter", lock, 2, patience()).said, "ok");
  EXPECT_TRUE(ours.get());
  auto leaves = std::async(std::launch::async,
                           [&] { return barrier.leave({.wait = patience()}); });
  EXPECT_EQ(leaves.wait_for(kMeanwhile), std::future_status::timeout);
  EXPECT_EQ(peer().ask("a", "leave", lock, patience()).said, "ok");
  EXPECT_TRUE(leaves.get());
}

}  // namespace
}  // namespace holdfast::test

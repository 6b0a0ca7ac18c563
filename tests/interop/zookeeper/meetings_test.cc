// SPDX-License-Identifier: Apache-2.0

// DistributedBarrier and DistributedDoubleBarrier are our Barrier and DoubleBarrier.

#include <future>

#include "holdfast/barrier.h"
#include "holdfast/double_barrier.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const milliseconds kAWhile = scaled(milliseconds(200));

class Meetings : public ZookeeperInterop {
 protected:
  const Client client = open("DistributedBarrier");
};

TEST_F(Meetings, JavasBarrierKeepsUsOut) {
  Barrier barrier(client, lock);
  ASSERT_EQ(peer().ask("t", "shut", lock).said, "ok");
  EXPECT_TRUE(barrier.is_set().value());
  EXPECT_EQ(barrier.wait({.wait = kAWhile}).error(), Errc::timed_out);
  auto ours = std::async(std::launch::async, [&] {
    EXPECT_TRUE(barrier.wait({.wait = patience()}));
    return steady_clock::now();
  });
  ASSERT_TRUE(awaited(lock));
  const Answer opened = peer().ask("t", "open", lock);
  EXPECT_LT(ours.get() - opened.began, scaled(milliseconds(2000)));
}

TEST_F(Meetings, OurBarrierKeepsJavaOut) {
  Barrier barrier(client, lock);
  EXPECT_TRUE(barrier.set().value());
  EXPECT_EQ(peer().ask("t", "await", lock, kAWhile).said, "timeout");
  peer().tell("t", "await", lock, patience());
  ASSERT_TRUE(awaited(lock));
  const auto opened = steady_clock::now();
  EXPECT_TRUE(barrier.remove().value());
  const Answer answer = peer().answer("t");
  ASSERT_EQ(answer.said, "ok") << answer.value;
  EXPECT_LT(answer.ended - opened, scaled(milliseconds(2000)));
}

TEST_F(Meetings, PartiesOfBothSidesEnterAndLeaveTogether) {
  DoubleBarrier barrier(client, lock, 3);
  for (int round = 0; round < 3; ++round) {
    peer().tell("a", "enter", lock, 3, patience());
    peer().tell("b", "enter", lock, 3, patience());
    ASSERT_TRUE(children_are(path, 2));
    EXPECT_EQ(peer().answer("a", kAWhile).said, "");
    barrier.enter({.wait = patience()}).value();
    EXPECT_EQ(peer().answer("a").said, "ok");
    EXPECT_EQ(peer().answer("b").said, "ok");

    // We leave first: a party of Curator that is woken by another's leaving lets itself
    // and everybody out as soon as one node is left, though that one is still inside.
    EXPECT_EQ(code_of(barrier.leave({.wait = kAWhile})), Errc::timed_out);
    peer().tell("a", "leave", lock, patience());
    EXPECT_EQ(peer().answer("a", kAWhile).said, "");
    peer().tell("b", "leave", lock, patience());
    EXPECT_TRUE(barrier.leave({.wait = patience()}));
    EXPECT_EQ(peer().answer("a").said, "ok");
    EXPECT_EQ(peer().answer("b").said, "ok");
  }
}

TEST_F(Meetings, WeWaitForTheLastPartyOfJava) {
  DoubleBarrier barrier(client, lock, 2);
  auto ours = std::async(std::launch::async,
                         [&] { return barrier.enter({.wait = patience()}); });
  ASSERT_TRUE(children_are(path, 1));
  EXPECT_EQ(peer().ask("a", "enter", lock, 2, patience()).said, "ok");
  EXPECT_TRUE(ours.get());
  auto leaves = std::async(std::launch::async,
                           [&] { return barrier.leave({.wait = patience()}); });
  EXPECT_EQ(leaves.wait_for(kAWhile), std::future_status::timeout);
  EXPECT_EQ(peer().ask("a", "leave", lock, patience()).said, "ok");
  EXPECT_TRUE(leaves.get());
}

}  // namespace
}  // namespace holdfast::test

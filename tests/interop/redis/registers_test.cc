// SPDX-License-Identifier: Apache-2.0

// RAtomicLong and RCountDownLatch are our Counter and Latch.

#include <chrono>
#include <future>

#include "holdfast/counter.h"
#include "holdfast/latch.h"
#include "interop/interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Registers : public Interop {
 protected:
  const std::string number = name("number");
  const Client client = open("RAtomicLong");
  Counter counter{client, number};
  Latch latch{client, number};
};

TEST_F(Registers, CounterIsTheSameNumber) {
  peer().ask("t", "set", "RAtomicLong", number, 40);
  EXPECT_EQ(counter.get().value(), 40);
  EXPECT_EQ(counter.add(2).value().after, 42);
  EXPECT_EQ(peer().ask("t", "get", "RAtomicLong", number).value, "42");
}

TEST_F(Registers, CounterLosesNoAddition) {
  constexpr long kEach = 200;
  auto ours = std::async(std::launch::async, [&] {
    for (long i = 0; i < kEach; ++i) {
      EXPECT_TRUE(counter.update([](std::int64_t now) { return now + 1; }));
    }
  });
  for (long i = 0; i < kEach; ++i) peer().tell("t", "add", "RAtomicLong", number, 1);
  for (long i = 0; i < kEach; ++i) ASSERT_EQ(peer().answer("t").said, "ok");
  ours.get();
  EXPECT_EQ(counter.get().value(), 2 * kEach);
}

TEST_F(Registers, CounterIsExchangedByOneSideAlone) {
  peer().ask("t", "set", "RAtomicLong", number, 7);
  EXPECT_EQ(peer().ask("t", "swap", number, 7, 8).value, "true");
  EXPECT_FALSE(counter.compare_exchange(7, 9).value().done);
  EXPECT_TRUE(counter.compare_exchange(8, 9).value().done);
  EXPECT_EQ(peer().ask("t", "swap", number, 8, 10).value, "false");
  EXPECT_EQ(peer().ask("t", "get", "RAtomicLong", number).value, "9");
}

TEST_F(Registers, LatchIsTheSameNumber) {
  EXPECT_TRUE(latch.set_count(3).value());
  EXPECT_EQ(peer().ask("t", "get", "RCountDownLatch", number).value, "3");
  EXPECT_EQ(peer().ask("t", "set", "RCountDownLatch", number, 5).value, "false");
  peer().ask("t", "add", "RCountDownLatch", number, -1);
  EXPECT_EQ(latch.count().value(), 2);
}

TEST_F(Registers, OurCountDownOpensTheLatchForJava) {
  ASSERT_EQ(peer().ask("t", "set", "RCountDownLatch", number, 2).value, "true");
  peer().tell("waiter", "await", number, patience());
  ASSERT_TRUE(awaited(number));
  EXPECT_EQ(latch.count_down().value(), 1);
  const auto opened = steady_clock::now();
  EXPECT_EQ(latch.count_down().value(), 0);
  const Answer answer = peer().answer("waiter");
  ASSERT_EQ(answer.said, "ok") << answer.value;
  EXPECT_LT(answer.ended - opened, scaled(milliseconds(2000)));
  EXPECT_TRUE(latch.wait({.wait = Timeout::zero()}));
}

TEST_F(Registers, JavasCountDownWakesUs) {
  ASSERT_EQ(peer().ask("t", "set", "RCountDownLatch", number, 1).value, "true");
  auto ours = std::async(std::launch::async, [&] {
    EXPECT_TRUE(latch.wait({.wait = patience()}));
    return steady_clock::now();
  });
  ASSERT_TRUE(awaited(number));
  const auto opened = steady_clock::now();
  peer().ask("t", "add", "RCountDownLatch", number, -1);
  EXPECT_LT(ours.get() - opened, scaled(milliseconds(2000)));
}

}  // namespace
}  // namespace holdfast::test

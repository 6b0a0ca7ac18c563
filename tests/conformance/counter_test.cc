// SPDX-License-Identifier: Apache-2.0

// A Counter is a number that processes and hosts share.

#include "holdfast/counter.h"

#include <gtest/gtest.h>

#include <limits>
#include <stop_token>
#include <thread>
#include <vector>

#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Counters : public Conformance {
 protected:
  Counter counter() { return {open(), name("a")}; }
};
HOLDFAST_CONFORMANCE(Counters);

TEST_P(Counters, AreZeroAtFirst) { EXPECT_EQ(counter().get().value(), 0); }

TEST_P(Counters, SayWhatTheyWereAndWhatTheyAre) {
  auto one = counter();
  auto other = counter();
  const Change first = one.add(5).value();
  EXPECT_TRUE(first.done);
  EXPECT_EQ(first.before, 0);
  EXPECT_EQ(first.after, 5);
  EXPECT_EQ(first.tries, 1u);
  const Change second = other.subtract(7).value();
  EXPECT_EQ(second.before, 5);
  EXPECT_EQ(second.after, -2);
  EXPECT_EQ(one.increment().value().after, -1);
  EXPECT_EQ(one.decrement().value().after, -2);
  EXPECT_EQ(one.get().value(), -2);
  const Change swapped = other.exchange(40).value();
  EXPECT_EQ(swapped.before, -2);
  EXPECT_EQ(swapped.after, 40);
  EXPECT_EQ(one.get().value(), 40);
}

TEST_P(Counters, CompareBeforeTheyExchange) {
  auto one = counter();
  const Change made = one.compare_exchange(0, 3).value();
  EXPECT_TRUE(made.done) << "one that was never written is zero";
  const Change refused = one.compare_exchange(0, 9).value();
  EXPECT_FALSE(refused.done);
  EXPECT_EQ(refused.before, 3);
  EXPECT_EQ(refused.after, 3);
  EXPECT_TRUE(one.compare_exchange(3, 0).value().done);
  EXPECT_TRUE(one.compare_exchange(0, 4).value().done) << "zero, and written";
  EXPECT_FALSE(Counter(open(), name("b")).compare_exchange(1, 2).value().done);
}

TEST_P(Counters, AreUpdatedByAFunction) {
  auto one = counter();
  (void)one.add(10).value();
  const auto sell = [](std::int64_t left) -> std::optional<std::int64_t> {
    if (left < 4) return std::nullopt;
    return left - 4;
  };
  const Change sold = one.update(sell).value();
  EXPECT_TRUE(sold.done);
  EXPECT_EQ(sold.before, 10);
  EXPECT_EQ(sold.after, 6);
  EXPECT_TRUE(one.update(sell).value().done);
  const Change none = one.update(sell).value();
  EXPECT_FALSE(none.done);
  EXPECT_EQ(none.before, 2);
  EXPECT_EQ(none.after, 2);
  EXPECT_EQ(one.get().value(), 2);
}

TEST_P(Counters, AnUpdateIsRepeatedWhenAnotherClientWasFaster) {
  auto one = counter();
  auto other = counter();
  int calls = 0;
  const Change done = one.update([&](std::int64_t now) {
                           if (++calls == 1) (void)other.add(100).value();
                           return now + 1;
                         })
                          .value();
  EXPECT_EQ(done.tries, 2u);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(done.before, 100);
  EXPECT_EQ(done.after, 101);
  EXPECT_EQ(one.get().value(), 101);
}

TEST_P(Counters, AnUpdateEndsInTimeAndWhenStopped) {
  auto one = counter();
  auto other = counter();
  const auto always_late = [&](std::int64_t now) {
    (void)other.add(1).value();
    return now;
  };
  const auto late = one.update(always_late, {.wait = scaled(50ms)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::timed_out);
  const auto once = one.update(always_late, {.wait = Timeout::zero()});
  ASSERT_FALSE(once);
  EXPECT_EQ(once.error().code, Errc::timed_out);

  std::stop_source stop;
  int calls = 0;
  const auto stopped = one.update(
      [&](std::int64_t now) {
        if (++calls == 3) stop.request_stop();
        return always_late(now);
      },
      {.stop = stop.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
  EXPECT_EQ(calls, 3);
}

TEST_P(Counters, LoseNothingWhenManyChangeThem) {
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, client = open()] {
        Counter mine(client, name("a"));
        for (int j = 0; j < 50; ++j) {
          EXPECT_TRUE(mine.add(1));
          EXPECT_TRUE(mine.update([](std::int64_t n) { return n + 1; }).value().done);
        }
      });
    }
  }
  EXPECT_EQ(counter().get().value(), 400);
}

TEST_P(Counters, DoNotLeave64Bits) {
  auto one = counter();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(one.exchange(kMost).value().after, kMost);
  const auto above = one.add(1);
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().code, Errc::bad_argument) << above.error().message();
  EXPECT_NE(above.error().message().find("overflow the 64 bits of "), std::string::npos)
      << above.error().message();
  EXPECT_EQ(one.get().value(), kMost);
  EXPECT_EQ(one.exchange(kLeast).value().before, kMost);
  const auto below = one.subtract(1);
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().code, Errc::bad_argument) << below.error().message();
  EXPECT_NE(below.error().message().find("overflow the 64 bits of "), std::string::npos)
      << below.error().message();
  EXPECT_EQ(one.get().value(), kLeast);
}

class RegisterRestarts : public Conformance {};
HOLDFAST_CONFORMANCE(RegisterRestarts);

TEST_P(RegisterRestarts, LoseNoNumber) {
  Counter counter(open(), name("a"));
  (void)counter.add(42).value();
  ASSERT_TRUE(engine().restart());
  EXPECT_EQ(counter.get().value(), 42);
  EXPECT_EQ(counter.add(1).value().after, 43);
}

}  // namespace
}  // namespace holdfast::test

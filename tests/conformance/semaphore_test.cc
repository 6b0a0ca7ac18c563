// SPDX-License-Identifier: Apache-2.0

// Semaphore is tested as a primitive here. The rules of its queue are in
// semaphore_claims_test.cc.

#include "holdfast/semaphore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Semaphores : public Conformance {
 protected:
  Semaphore semaphore(std::uint32_t permits = 3) {
    return {open(), name("a"), permits};
  }
};
HOLDFAST_CONFORMANCE(Semaphores);

// A client, and what it has logged of the capacity of semaphores.
class CapacityLog {
 public:
  explicit CapacityLog(EngineUnderTest& engine) : client_(engine.open(options())) {}

  const Client& client() const noexcept { return client_; }

  // Closes the client, which logs what is still to be logged, and returns the lines.
  std::vector<std::string> close() {
    client_.close();
    const std::scoped_lock guard(mutex_);
    return lines_;
  }

 private:
  ClientOptions options() {
    ClientOptions options;
    options.ttl = scaled(30s);
    options.log = [this](LogLevel level, std::string_view line) {
      if (line.find(" permits, not ") == std::string_view::npos) return;
      EXPECT_EQ(level, LogLevel::warning);
      const std::scoped_lock guard(mutex_);
      lines_.emplace_back(line);
    };
    return options;
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
  Client client_;  // comes last, because it logs
};

TEST_P(Semaphores, LetInAsManyAsThereArePermits) {
  auto one = semaphore();
  auto other = semaphore();
  const auto two = one.acquire_many(2);
  ASSERT_TRUE(two) << two.error().message();
  EXPECT_EQ(two->count(), 2u);
  EXPECT_TRUE(two->valid());
  EXPECT_EQ(other.available().value(), 1u);
  EXPECT_TRUE(timed_out(other.acquire_many(2, once_)));
  auto last = other.acquire(once_);
  ASSERT_TRUE(last);
  EXPECT_EQ(other.available().value(), 0u);
  EXPECT_TRUE(timed_out(one.acquire({.wait = scaled(20ms)})));
  EXPECT_TRUE(last->release());
  EXPECT_EQ(last->count(), 0u);
  const auto again = one.acquire(once_);
  EXPECT_TRUE(again) << again.error().message();
}

TEST_P(Semaphores, GiveBackAPart) {
  auto one = semaphore();
  auto all = one.acquire_many(3).value();
  EXPECT_TRUE(timed_out(one.acquire(once_)));
  EXPECT_TRUE(all.release(2));
  EXPECT_EQ(all.count(), 1u);
  auto two = one.acquire_many(2, once_);
  EXPECT_TRUE(two);
  const auto more = all.release(2);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Errc::bad_argument);
  EXPECT_TRUE(all.valid());
  EXPECT_TRUE(all.release(1));
  EXPECT_EQ(all.count(), 0u);
  EXPECT_EQ(one.available().value(), 1u);
}

TEST_P(Semaphores, APartIsKeptBeyondTheTtl) {
  const auto ttl = scaled(600ms);
  Semaphore one(open(ttl), name("a"), 3);
  auto held = one.acquire_many(3).value();
  EXPECT_TRUE(held.release(1));
  EXPECT_TRUE(throughout(2 * ttl, [&] { return held.valid(); }));
  EXPECT_EQ(semaphore().available().value(), 1u);
}

TEST_P(Semaphores, MoreThanThereAreIsAnError) {
  auto one = semaphore();
  for (const std::uint32_t bad : {0u, 4u}) {
    const auto refused = one.acquire_many(bad);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::bad_argument) << refused.error().message();
  }
}

TEST_P(Semaphores, WithoutANumberWaitUntilItIsSet) {
  auto unknown = semaphore(0);
  EXPECT_EQ(unknown.permits().value(), 0u);
  const auto refused = unknown.acquire(once_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument) << refused.error().message();
  EXPECT_TRUE(semaphore(0).init_permits(2).value());
  EXPECT_FALSE(semaphore(0).init_permits(2).value()) << "it is stored already";
  EXPECT_EQ(unknown.permits().value(), 2u);
  EXPECT_TRUE(unknown.acquire_many(2, once_));
}

TEST_P(Semaphores, TheFirstNumberCounts) {
  const auto held = semaphore(3).acquire().value();
  auto other = semaphore(9);
  EXPECT_EQ(other.permits().value(), 3u);
  EXPECT_EQ(other.available().value(), 2u);
}

TEST_P(Semaphores, WarnThatAnotherNumberIsStored) {
  const auto held = semaphore(5).acquire().value();
  CapacityLog log(engine());
  Semaphore nine(log.client(), name("a"), 9);
  Semaphore also_nine(log.client(), name("a"), 9);
  for (Semaphore* const each : {&nine, &also_nine}) {
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(each->acquire(once_));
  }
  const auto lines = log.close();
  EXPECT_EQ(lines.size(), 2u) << "one for each object";
  EXPECT_THAT(lines, testing::Each(testing::StartsWith(
                         "\"" + name("a") + "\" has 5 permits, not 9: use 5, or ")));
}

TEST_P(Semaphores, DoNotWarnOfTheirOwnNumberOrOfNone) {
  const auto held = semaphore(5).acquire().value();
  CapacityLog log(engine());
  EXPECT_TRUE(Semaphore(log.client(), name("a"), 5).acquire(once_));
  EXPECT_TRUE(Semaphore(log.client(), name("a")).acquire(once_));
  EXPECT_TRUE(Semaphore(log.client(), name("b"), 2).acquire(once_));
  EXPECT_EQ(log.close(), std::vector<std::string>());
}

TEST_P(Semaphores, WarnAfterAWaitAndWhenAnotherClientSetsTheNumber) {
  auto one = semaphore(1);
  auto held = one.acquire().value();
  CapacityLog log(engine());
  Semaphore two(log.client(), name("a"), 2);
  Semaphore same(log.client(), name("a"), 1);
  auto waiter = std::async(std::launch::async, [&] {
    return two.acquire({.wait = patience()}).has_value();
  });
  ASSERT_TRUE(waiting(open(), {engine::Kind::semaphore, name("a")}, 1));
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(waiter.get());
  EXPECT_TRUE(same.acquire({.wait = patience()}));
  EXPECT_TRUE(one.set_permits(2));
  EXPECT_TRUE(two.acquire({.wait = patience()})) << "it is as it says now";
  EXPECT_TRUE(same.acquire({.wait = patience()}));
  auto lines = log.close();
  std::ranges::sort(lines);
  ASSERT_EQ(lines.size(), 2u);
  const std::string begin = "\"" + name("a") + "\" has ";
  EXPECT_THAT(lines[0], testing::StartsWith(begin + "1 permits, not 2: "));
  EXPECT_THAT(lines[1], testing::StartsWith(begin + "2 permits, not 1: "));
}

TEST_P(Semaphores, TellThatAnotherNumberIsStored) {
  const auto held = semaphore(5).acquire().value();
  auto other = semaphore(9);
  const auto refused = other.init_permits(9);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), Errc::bad_argument);
  EXPECT_THAT(
      refused.error().message(),
      testing::HasSubstr("\"" + name("a") + "\" has 5 permits, not 9: use 5, or "));
  EXPECT_TRUE(other.acquire(once_)) << "the stored number counts";
  EXPECT_TRUE(other.set_permits(9));
  EXPECT_FALSE(other.init_permits(9).value()) << "it is stored already";
}

TEST_P(Semaphores, CanGrowForTheirWaiters) {
  auto one = semaphore(1);
  const auto held = one.acquire().value();
  auto waiter = std::async(std::launch::async, [&, client = open()] {
    return Semaphore(client, name("a")).acquire({.wait = patience()}).has_value();
  });
  ASSERT_TRUE(waiting(open(), {engine::Kind::semaphore, name("a")}, 1));
  EXPECT_TRUE(one.set_permits(2));
  EXPECT_TRUE(waiter.get());
}

TEST_P(Semaphores, CanShrinkUnderTheirHolders) {
  auto one = semaphore(3);
  auto held = one.acquire_many(3).value();
  EXPECT_TRUE(one.set_permits(1));
  EXPECT_EQ(one.permits().value(), 1u);
  EXPECT_EQ(one.available().value(), 0u);
  EXPECT_TRUE(held.release(2));
  EXPECT_TRUE(timed_out(one.acquire(once_)));
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(one.acquire(once_));
}

TEST_P(Semaphores, TellWaitersThatWaitInVainFromNowOn) {
  auto one = semaphore(3);
  const auto held = one.acquire_many(2).value();
  auto hopeless = std::async(std::launch::async, [&, client = open()] {
    return Semaphore(client, name("a")).acquire_many(3).error().code;
  });
  ASSERT_TRUE(waiting(open(), {engine::Kind::semaphore, name("a")}, 1));
  EXPECT_TRUE(one.set_permits(2));
  EXPECT_EQ(hopeless.get(), Errc::bad_argument);
}

TEST_P(Semaphores, AFixedLeaseComesBackByItself) {
  Semaphore one(open(), name("a"), 1, LeaseOptions::fixed(scaled(200ms)));
  const auto held = one.acquire().value();
  EXPECT_TRUE(semaphore(1).acquire({.wait = patience()}));
  EXPECT_FALSE(held.valid());
}

}  // namespace
}  // namespace holdfast::test

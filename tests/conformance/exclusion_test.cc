// SPDX-License-Identifier: Apache-2.0

// Every exclusive lock must pass these cases, on every shape that can be one.

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <stop_token>
#include <thread>

#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Exclusion : public Conformance {
 protected:
  std::unique_ptr<Exclusive> lock(const Client& client, const std::string& name) {
    if (GetParam().of == Shape::semaphore && !drained_.contains(name)) {
      drained_[name] = drain(open(), name);
    }
    return make_exclusive(GetParam().of, client, name);
  }

  engine::Address address(const std::string& name) const {
    return {kind_of(GetParam().of), name};
  }

 private:
  std::map<std::string, std::unique_ptr<Exclusive>> drained_;
};

HOLDFAST_CONFORMANCE(Exclusion, {Shape::mutex, Shape::recursive_mutex,
                                 Shape::fair_mutex, Shape::shared_mutex,
                                 Shape::semaphore, Shape::election, Shape::multi_lock});

TEST_P(Exclusion, OneIsInAndTheOtherIsRefused) {
  const auto first = lock(open(), name("a"));
  const auto second = lock(open(), name("a"));
  ASSERT_TRUE(first->acquire(kNow));
  const auto refused = second->acquire(kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out);
  EXPECT_TRUE(first->release());
  ASSERT_TRUE(second->acquire(kNow));
  EXPECT_FALSE(first->acquire(kNow));
  EXPECT_TRUE(second->release());
  ASSERT_TRUE(first->acquire(kNow));
  EXPECT_TRUE(first->release());
}

TEST_P(Exclusion, TwoNamesDoNotMeet) {
  const Client client = open();
  const auto first = lock(client, name("a"));
  const auto second = lock(client, name("b"));
  ASSERT_TRUE(first->acquire(kNow));
  ASSERT_TRUE(second->acquire(kNow));
  EXPECT_TRUE(first->release());
  EXPECT_TRUE(second->release());
}

TEST_P(Exclusion, AWaiterGetsInWhenTheHolderLeaves) {
  const Client observer = open();
  const auto first = lock(open(), name("a"));
  const auto second = lock(open(), name("a"));
  ASSERT_TRUE(first->acquire());
  auto got = std::async(std::launch::async, [&] {
    const bool in = second->acquire({.wait = patience()}).has_value();
    return in && second->release().has_value();
  });
  ASSERT_TRUE(waiting(observer, address(name("a")), 1));
  ASSERT_TRUE(first->release());
  EXPECT_TRUE(got.get());
}

TEST_P(Exclusion, ZeroWaitLeavesNoTrace) {
  const Client observer = open();
  const auto first = lock(open(), name("a"));
  const auto second = lock(open(), name("a"));
  ASSERT_TRUE(first->acquire());
  const auto before = survey(observer, address(name("a")));
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(second->acquire(kNow));
  EXPECT_EQ(survey(observer, address(name("a"))).size(), before.size());
  ASSERT_TRUE(first->release());
  EXPECT_EQ(survey(observer, address(name("a"))).size(), before.size() - 1);
  ASSERT_TRUE(first->acquire(kNow));
  EXPECT_TRUE(first->release());
}

TEST_P(Exclusion, ATimedWaitEndsInTimeAndLeavesNoTrace) {
  const Client observer = open();
  const auto first = lock(open(), name("a"));
  const auto second = lock(open(), name("a"));
  ASSERT_TRUE(first->acquire());
  const auto start = Clock::now();
  const auto refused = second->acquire({.wait = scaled(100ms)});
  const auto took = Clock::now() - start;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out);
  EXPECT_GE(took, scaled(100ms));
  EXPECT_LT(took, scaled(2s));
  EXPECT_TRUE(waiting(observer, address(name("a")), 0));
  ASSERT_TRUE(first->release());
  ASSERT_TRUE(first->acquire(kNow));
  EXPECT_TRUE(first->release());
}

TEST_P(Exclusion, TheLongestWaitDoesNotOverflow) {
  const Client observer = open();
  const auto first = lock(open(), name("a"));
  const auto second = lock(open(), name("a"));
  ASSERT_TRUE(first->acquire({.wait = std::chrono::hours::max()}));
  auto got = std::async(std::launch::async, [&] {
    return second->acquire({.wait = std::chrono::hours::max()}).has_value() &&
           second->release().has_value();
  });
  ASSERT_TRUE(waiting(observer, address(name("a")), 1));
  ASSERT_TRUE(first->release());
  EXPECT_TRUE(got.get());
}

TEST_P(Exclusion, AStopBeforeTheCallCancelsIt) {
  std::stop_source stop;
  stop.request_stop();
  const auto held = lock(open(), name("a"));
  const auto other = lock(open(), name("a"));
  ASSERT_TRUE(held->acquire());
  const auto refused = other->acquire({.stop = stop.get_token()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::cancelled);
  EXPECT_TRUE(held->release());
}

TEST_P(Exclusion, AStopDuringTheWaitEndsIt) {
  const Client observer = open();
  std::stop_source stop;
  const auto first = lock(open(), name("a"));
  const auto second = lock(open(), name("a"));
  ASSERT_TRUE(first->acquire());
  auto refused = std::async(std::launch::async, [&] {
    const auto got = second->acquire({.stop = stop.get_token()});
    return got ? std::error_code{} : got.error().code;
  });
  ASSERT_TRUE(waiting(observer, address(name("a")), 1));
  stop.request_stop();
  EXPECT_EQ(refused.get(), Errc::cancelled);
  EXPECT_TRUE(waiting(observer, address(name("a")), 0));
  ASSERT_TRUE(first->release());
  ASSERT_TRUE(first->acquire(kNow));
  EXPECT_TRUE(first->release());
}

TEST_P(Exclusion, AStopThatRacesWithTheGrantLeavesNothingBehind) {
  const Client client = open();
  const Client other = open();
  const auto first = lock(client, name("a"));
  const auto second = lock(other, name("a"));
  for (int round = 0; round < 200; ++round) {
    const auto mine = first->acquire(kNow);
    ASSERT_TRUE(mine) << "round " << round << ": " << mine.error().message();
    std::stop_source stop;
    std::jthread waiter([&] {
      const auto got = second->acquire({.stop = stop.get_token()});
      if (got) {
        EXPECT_TRUE(second->release());
      } else {
        EXPECT_EQ(got.error().code, Errc::cancelled);
      }
    });
    std::jthread stopper([&] { stop.request_stop(); });
    ASSERT_TRUE(first->release());
    waiter.join();
  }
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// What a waiter sleeps on.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Signals : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    client_.emplace(open());
    signal_ = client_->session().signal();
  }

  const Client& client() const { return *client_; }
  const engine::Waker& signal() const { return signal_; }

  // Returns whether a wait ends before `span` is over.
  bool is_rung(Clock::duration span) const {
    const auto start = Clock::now();
    signal_->wait(start + span);
    return Clock::now() - start < span;
  }

 private:
  std::optional<Client> client_;
  engine::Waker signal_;
};

HOLDFAST_CONFORMANCE(Signals);

TEST_P(Signals, AreWaitedForUntilTheDeadline) {
  EXPECT_FALSE(is_rung(scaled(50ms)));
  const auto start = Clock::now();
  signal()->wait(start);
  signal()->wait(engine::Deadline::min());
  EXPECT_LT(Clock::now() - start, patience());
}

TEST_P(Signals, EndTheNextWaitAndNoOther) {
  for (const int rings : {1, 2, 1000}) {
    for (int i = 0; i < rings; ++i) signal()->ring();
    EXPECT_TRUE(is_rung(patience())) << rings;
    EXPECT_FALSE(is_rung(20ms)) << rings;
  }
}

// Each thread counts before it rings, so the last ring ends the last wait.
TEST_P(Signals, AreRungByAnyThread) {
  constexpr int kThreads = 4;
  constexpr int kRings = 500;
  std::atomic<int> rung{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kRings; ++j) {
        ++rung;
        signal()->ring();
      }
    });
  }
  const auto limit = soon();
  while (rung < kThreads * kRings && Clock::now() < limit) signal()->wait(limit);
  EXPECT_LT(Clock::now(), limit) << "a ring was not heard";
}

TEST_P(Signals, RungWithoutCauseChangeNothing) {
  const engine::Address address{engine::Kind::mutex, name("a")};
  ClaimLock holder(open(), address);
  ASSERT_TRUE(holder.begin());
  const auto mutex = client().session().bind(address).value();
  const engine::Claim claim{.ticket = next_ticket()};
  const auto is_granted = [&] {
    return std::holds_alternative<engine::Granted>(
        mutex->attempt(claim, signal(), soon()).value());
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(is_granted());
    signal()->ring();
    EXPECT_TRUE(is_rung(patience()));
  }
  EXPECT_FALSE(is_granted());
  ASSERT_TRUE(holder.release());
  const auto limit = soon();
  while (!is_granted() && Clock::now() < limit) {
    signal()->wait(Clock::now() + scaled(100ms));
  }
  EXPECT_TRUE(is_granted());
  EXPECT_TRUE(mutex->drop(claim, soon()));
}

}  // namespace
}  // namespace holdfast::test

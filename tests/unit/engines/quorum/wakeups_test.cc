// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/wakeups.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/thread_signal.h"
#include "testing/fake_engine.h"

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;
using test::FakeEngine;

class Counting final : public engine::Signal {
 public:
  void ring() noexcept override { ++rings; }
  void wait(Deadline) noexcept override {}
  std::atomic<int> rings{0};
};

class QuorumWakeupsTest : public testing::Test {
 protected:
  struct At {
    std::unique_ptr<engine::Session> session;
    std::shared_ptr<engine::Resource> resource;
  };

  static At make() {
    At at;
    at.session = FakeEngine(FakeEngine::world()).open({}).value();
    at.resource = at.session->bind({engine::Kind::mutex, "a"}).value();
    return at;
  }

  // Takes the lock and releases it, which rings every watch.
  void stir(std::size_t node) {
    const engine::Claim claim{.ticket = engine::Ticket{++ticket_}};
    ASSERT_TRUE(at_[node].resource->attempt(claim, nullptr, Deadline::max()));
    ASSERT_TRUE(at_[node].resource->drop(claim, Deadline::max()));
  }

  void watch_node(MajorityWaker& wakeups, std::size_t node) {
    ASSERT_TRUE(wakeups.watch_node(node, *at_[node].resource, Deadline::max()));
  }

  At at_[3] = {make(), make(), make()};
  const std::shared_ptr<Counting> signal_ = std::make_shared<Counting>();
  std::uint64_t ticket_ = 0;
};

TEST_F(QuorumWakeupsTest, OneNodeAloneWakesNoWaiter) {
  MajorityWaker wakeups(signal_, 3, 2);
  for (std::size_t i = 0; i < 3; ++i) watch_node(wakeups, i);
  EXPECT_EQ(wakeups.watched(), 3u);
  for (int i = 0; i < 5; ++i) stir(0);
  EXPECT_EQ(signal_->rings, 0);
  stir(2);
  EXPECT_GE(signal_->rings, 1);
}

TEST_F(QuorumWakeupsTest, CountFromAnewAfterEachRing) {
  MajorityWaker wakeups(signal_, 3, 2);
  for (std::size_t i = 0; i < 2; ++i) watch_node(wakeups, i);
  stir(0);
  wakeups.pause_until({});  // forgets the signals so far
  stir(1);
  EXPECT_EQ(signal_->rings, 0);
}

TEST_F(QuorumWakeupsTest, RestForAWhile) {
  MajorityWaker wakeups(signal_, 3, 1);
  watch_node(wakeups, 0);
  wakeups.pause_until(Clock::now() + 1h);
  stir(0);
  EXPECT_EQ(signal_->rings, 0);
  wakeups.pause_until(Clock::now() - 1ms);
  stir(0);
  EXPECT_GE(signal_->rings, 1);
}

TEST_F(QuorumWakeupsTest, RingNothingOnceClosed) {
  MajorityWaker wakeups(signal_, 3, 1);
  watch_node(wakeups, 0);
  wakeups.close();
  watch_node(wakeups, 1);  // as the thread of a slow node does
  EXPECT_EQ(wakeups.watched(), 0u);
  stir(0);
  stir(1);
  EXPECT_EQ(signal_->rings, 0);
}

}  // namespace
}  // namespace holdfast::quorum

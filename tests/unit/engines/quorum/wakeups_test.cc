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

class QuorumEarsTest : public testing::Test {
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

  // Taken and given back: whoever watches is rung.
  void stir(std::size_t node) {
    const engine::Claim claim{.ticket = engine::Ticket{++ticket_}};
    ASSERT_TRUE(at_[node].resource->attempt(claim, nullptr, Deadline::max()));
    ASSERT_TRUE(at_[node].resource->drop(claim, Deadline::max()));
  }

  void watch_node(MajorityWaker& majority_waker, std::size_t node) {
    ASSERT_TRUE(majority_waker.watch_node(node, *at_[node].resource, Deadline::max()));
  }

  At at_[3] = {make(), make(), make()};
  const std::shared_ptr<Counting> signal_ = std::make_shared<Counting>();
  std::uint64_t ticket_ = 0;
};

TEST_F(QuorumEarsTest, OneNodeAloneWakesNobody) {
  MajorityWaker majority_waker(signal_, 3, 2);
  for (std::size_t i = 0; i < 3; ++i) watch_node(majority_waker, i);
  EXPECT_EQ(majority_waker.watched(), 3u);
  for (int i = 0; i < 5; ++i) stir(0);
  EXPECT_EQ(signal_->rings, 0);
  stir(2);
  EXPECT_GE(signal_->rings, 1);
}

TEST_F(QuorumEarsTest, CountFromAnewAfterEachRing) {
  MajorityWaker majority_waker(signal_, 3, 2);
  for (std::size_t i = 0; i < 2; ++i) watch_node(majority_waker, i);
  stir(0);
  majority_waker.rest({});  // forgets what was heard
  stir(1);
  EXPECT_EQ(signal_->rings, 0);
}

TEST_F(QuorumEarsTest, RestForAWhile) {
  MajorityWaker majority_waker(signal_, 3, 1);
  watch_node(majority_waker, 0);
  majority_waker.rest(Clock::now() + 1h);
  stir(0);
  EXPECT_EQ(signal_->rings, 0);
  majority_waker.rest(Clock::now() - 1ms);
  stir(0);
  EXPECT_GE(signal_->rings, 1);
}

TEST_F(QuorumEarsTest, HearNothingOnceClosed) {
  MajorityWaker majority_waker(signal_, 3, 1);
  watch_node(majority_waker, 0);
  majority_waker.close();
  watch_node(majority_waker, 1);  // by a node that was late
  EXPECT_EQ(majority_waker.watched(), 0u);
  stir(0);
  stir(1);
  EXPECT_EQ(signal_->rings, 0);
}

}  // namespace
}  // namespace holdfast::quorum

// SPDX-License-Identifier: Apache-2.0

#include "core/wait_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>

#include "base/thread_signal.h"
#include "core/access.h"
#include "core/retry.h"
#include "core/wait_until.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::Sort;

using First = WaitLoop::First;
using Pause = WaitLoop::Pause;

class WaitLoopTest : public testing::Test {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(Sort::plain);
  Client client = test::join(world, 50ms);
  BoundResourcePtr bound = test::bind(client, "a");
};

TEST_F(WaitLoopTest, PollsAtOnceAndThenWithAWaker) {
  int polls = 0;
  WaitLoop loop(*bound, Timeout::forever(), nullptr);
  EXPECT_TRUE(loop.run(First::bare, [&](const engine::Waker& waker) -> Result<Pause> {
    EXPECT_EQ(waker != nullptr, ++polls > 1);
    if (polls == 3) return Pause();
    return Pause(1ms);
  }));
  EXPECT_EQ(polls, 3);
}

TEST_F(WaitLoopTest, EndsWithItsTime) {
  const auto never = [](const engine::Waker&) -> Result<Pause> { return Pause(1h); };
  for (const Timeout wait : {Timeout::zero(), Timeout(20ms)}) {
    const auto ended = WaitLoop(*bound, wait, nullptr).run(First::bare, never);
    EXPECT_EQ(ended.error().code, Errc::timed_out);
  }
}

TEST_F(WaitLoopTest, EndsWhenStopped) {
  std::stop_source stop;
  const auto token = stop.get_token();
  WaitLoop loop(*bound, Timeout::forever(), &token);
  const auto ended =
      loop.run(First::bare, [&](const engine::Waker& waker) -> Result<Pause> {
        if (waker != nullptr) stop.request_stop();
        return Pause(1h);
      });
  EXPECT_EQ(ended.error().code, Errc::cancelled);
}

TEST_F(WaitLoopTest, EnduresAnEngineThatDoesNotAnswerForAsLongAsALease) {
  const auto run = [&](const WaitLoop::Poll& poll_once) {
    return WaitLoop(*bound, Timeout::forever(), nullptr).run(First::bare, poll_once);
  };
  int polls = 0;
  EXPECT_TRUE(run([&](const engine::Waker&) -> Result<Pause> {
    if (++polls < 4) return Errc::outcome_unknown;
    return Pause();
  }));
  for (const Errc why : {Errc::unavailable, Errc::denied}) {
    const auto ended = run([&](const engine::Waker&) -> Result<Pause> { return why; });
    EXPECT_EQ(ended.error().code, why);
  }
}

// A caller that must not block takes the steps itself.
TEST_F(WaitLoopTest, AStepPollsOnceAndSaysUntilWhenToSleep) {
  const auto waker = std::make_shared<base::ThreadSignal>();
  const auto blocked = [](const engine::Waker&) -> Result<Pause> { return Pause(1h); };
  const auto granted = [](const engine::Waker&) -> Result<Pause> { return Pause(); };
  WaitLoop loop(*bound, Timeout::forever(), nullptr);
  EXPECT_LT(loop.step(nullptr, blocked).value().sleep_until, Clock::now())
      << "the step with a waker does not follow at once";
  const auto next = loop.step(waker, blocked).value();
  EXPECT_FALSE(next.done);
  EXPECT_GT(next.sleep_until, Clock::now() + 50min);
  EXPECT_TRUE(loop.step(waker, granted).value().done);
}

TEST_F(WaitLoopTest, NothingIsArmedBeforeTheFirstPollIsAnswered) {
  struct Counted final : engine::Signal {
    void ring() noexcept override { ++rings; }
    void wait(engine::Deadline) noexcept override {}
    int rings = 0;
  };
  const auto waker = std::make_shared<Counted>();
  std::stop_source stop;
  const auto token = stop.get_token();
  WaitLoop loop(*bound, Timeout::forever(), &token);
  const auto poll_once = [&](const engine::Waker&) -> Result<Pause> {
    Access::state(client)->signals().ring_all();
    return Pause(1h);
  };
  ASSERT_TRUE(loop.step(waker, poll_once));
  EXPECT_EQ(waker->rings, 0) << "it was known to the client before it had to wait";
  ASSERT_TRUE(loop.step(waker, poll_once));
  EXPECT_EQ(waker->rings, 1);
  stop.request_stop();
  EXPECT_EQ(waker->rings, 2);
  EXPECT_EQ(loop.step(waker, poll_once).error().code, Errc::cancelled);
}

TEST_F(WaitLoopTest, ClosingWakesASleepingCaller) {
  const auto blocked = [&](const engine::Waker& waker) -> Result<Pause> {
    if (waker != nullptr) Client(client).close();
    return Pause(1h);
  };
  const auto ended =
      WaitLoop(*bound, Timeout::forever(), nullptr).run(First::bare, blocked);
  EXPECT_EQ(ended.error().code, Errc::closed);
}

TEST_F(WaitLoopTest, ACallIsRepeatedUntilItIsAnswered) {
  int asked = 0;
  const auto answer =
      call_with_retry<int>(*bound, [&](engine::Deadline) -> Result<int> {
        if (++asked < 3) return Errc::outcome_unknown;
        return 42;
      });
  EXPECT_EQ(*answer, 42);
  EXPECT_EQ(asked, 3);
}

TEST_F(WaitLoopTest, ALookThatIsTrueAtOnceCostsNoWatch) {
  int looks = 0;
  struct Look {
    Result<bool> operator()(const BoundResource&, engine::Deadline) {
      ++looks;
      return true;
    }
    static std::string still(const BoundResource&) { return {}; }
    int& looks;
  };
  EXPECT_TRUE(wait_until(bound, {}, Look{looks}));
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace holdfast::core

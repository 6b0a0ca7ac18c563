#include "core/wait_loop.h"

#include <gtest/gtest.h>

#include <functional>
#include <stop_token>

#include "core/ask.h"
#include "core/await.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::Sort;

class Steps final : public WaitLoop {
 public:
  using Step = std::function<Result<Pause>(bool armed)>;
  Steps(const Bound& bound, Timeout wait, Step step, const std::stop_token* stop = {})
      : WaitLoop(bound, wait, stop), step_(std::move(step)) {}
  Result<void> go(bool armed = false) { return run(armed); }

 private:
  Result<Pause> ask(const engine::Waker& waker) override {
    return step_(waker != nullptr);
  }
  const Step step_;
};

class WaitLoopTest : public testing::Test {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(Sort::plain);
  Client client = test::join(world, 50ms);
  BoundPtr bound = test::bind(client, "a");
};

TEST_F(WaitLoopTest, AsksAtOnceAndThenWithAWaker) {
  int asked = 0;
  Steps steps(*bound, Timeout::forever(), [&](bool armed) -> Result<WaitLoop::Pause> {
    EXPECT_EQ(armed, ++asked > 1);
    if (asked == 3) return WaitLoop::Pause();
    return WaitLoop::Pause(1ms);
  });
  EXPECT_TRUE(steps.go());
  EXPECT_EQ(asked, 3);
}

TEST_F(WaitLoopTest, EndsWithItsTime) {
  const auto never = [](bool) -> Result<WaitLoop::Pause> {
    return WaitLoop::Pause(1h);
  };
  EXPECT_EQ(Steps(*bound, Timeout::zero(), never).go().error().code, Errc::timed_out);
  EXPECT_EQ(Steps(*bound, 20ms, never).go().error().code, Errc::timed_out);
}

TEST_F(WaitLoopTest, EndsWhenStopped) {
  std::stop_source stop;
  const auto token = stop.get_token();
  Steps steps(
      *bound, Timeout::forever(),
      [&](bool armed) -> Result<WaitLoop::Pause> {
        if (armed) stop.request_stop();
        return WaitLoop::Pause(1h);
      },
      &token);
  EXPECT_EQ(steps.go().error().code, Errc::cancelled);
}

TEST_F(WaitLoopTest, EnduresAnEngineThatDoesNotAnswerForAsLongAsALease) {
  int asked = 0;
  Steps patient(*bound, Timeout::forever(), [&](bool) -> Result<WaitLoop::Pause> {
    if (++asked < 4) return Errc::outcome_unknown;
    return WaitLoop::Pause();
  });
  EXPECT_TRUE(patient.go());
  Steps hopeless(*bound, Timeout::forever(),
                 [&](bool) -> Result<WaitLoop::Pause> { return Errc::unavailable; });
  EXPECT_EQ(hopeless.go().error().code, Errc::unavailable);
  Steps denied(*bound, Timeout::forever(),
               [&](bool) -> Result<WaitLoop::Pause> { return Errc::denied; });
  EXPECT_EQ(denied.go().error().code, Errc::denied);
}

TEST_F(WaitLoopTest, AQuestionIsRepeatedUntilItIsAnswered) {
  int asked = 0;
  const auto answer = ask_engine<int>(*bound, [&](engine::Deadline) -> Result<int> {
    if (++asked < 3) return Errc::outcome_unknown;
    return 42;
  });
  EXPECT_EQ(*answer, 42);
  EXPECT_EQ(asked, 3);
}

TEST_F(WaitLoopTest, ALookThatIsTrueAtOnceCostsNoWatch) {
  int looks = 0;
  EXPECT_TRUE(await(*bound, {}, [&](engine::Deadline) {
    ++looks;
    return Result<bool>(true);
  }));
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace holdfast::core

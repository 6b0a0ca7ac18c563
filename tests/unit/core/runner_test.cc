// SPDX-License-Identifier: Apache-2.0

#include "core/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/timer_heap.h"
#include "support/eventually.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;

// A task whose steps are a function, and which notes what happened to it.
class ScriptedTask final : public Task {
 public:
  using Script = std::function<WaitLoop::Step(int number)>;

  ScriptedTask(Script script, bool waits = false)
      : Task(waits), script_(std::move(script)) {}

  std::optional<WaitLoop::Step> begin(const engine::Waker&) noexcept override {
    return first;
  }
  WaitLoop::Step step(const engine::Waker&) noexcept override {
    const WaitLoop::Step next = script_(++steps);
    stepped_on = std::this_thread::get_id();
    return next;
  }
  void complete() override {
    completed_on = std::this_thread::get_id();
    if (then) then();
    ++completions;
  }
  void fail(const Failure&) noexcept override { failed = true; }
  void abandon() noexcept override { ++abandoned; }

  std::atomic<int> steps{0};
  std::atomic<int> completions{0};
  std::atomic<int> abandoned{0};
  std::atomic<bool> failed{false};
  std::atomic<std::thread::id> stepped_on{};
  std::atomic<std::thread::id> completed_on{};
  std::function<void()> then;
  std::optional<WaitLoop::Step> first;

 private:
  const Script script_;
};

WaitLoop::Step done_at_once(int) { return {true, {}}; }
WaitLoop::Step sleep_for_ever(int) { return {false, engine::Deadline::max()}; }

class RunnerTest : public testing::Test {
 protected:
  static bool completed(const ScriptedTask& task) {
    return eventually([&] { return task.completions == 1; });
  }
  const std::shared_ptr<Runner> runner = std::make_shared<Runner>(Executor());
};

TEST_F(RunnerTest, StepsAndCompletesOnItsOwnThread) {
  const auto task = std::make_shared<ScriptedTask>(done_at_once);
  runner->start(task);
  ASSERT_TRUE(completed(*task));
  EXPECT_EQ(task->stepped_on.load(), task->completed_on.load());
  EXPECT_NE(task->completed_on.load(), std::this_thread::get_id());
  runner->drain();
}

TEST_F(RunnerTest, AStepThatMayWaitIsTakenByAnotherThreadThanTheCompletion) {
  constexpr bool kWaits = true;
  const auto task = std::make_shared<ScriptedTask>(done_at_once, kWaits);
  runner->start(task);
  ASSERT_TRUE(completed(*task));
  EXPECT_NE(task->stepped_on.load(), task->completed_on.load());
  runner->drain();
}

TEST_F(RunnerTest, AStepThatWaitsDelaysNoOther) {
  std::atomic<bool> go{false};
  const auto slow = std::make_shared<ScriptedTask>(
      [&](int) {
        EXPECT_TRUE(eventually([&] { return go.load(); }));
        return WaitLoop::Step{true, {}};
      },
      true);
  const auto quick = std::make_shared<ScriptedTask>(done_at_once, true);
  runner->start(slow);
  runner->start(quick);
  EXPECT_TRUE(completed(*quick));
  EXPECT_EQ(slow->completions, 0);
  go = true;
  EXPECT_TRUE(completed(*slow));
  runner->drain();
}

TEST_F(RunnerTest, ATaskSleepsUntilItIsRung) {
  const auto task = std::make_shared<ScriptedTask>([](int number) {
    return number < 3 ? sleep_for_ever(number) : done_at_once(number);
  });
  runner->start(task);
  ASSERT_TRUE(eventually([&] { return task->steps == 1; }));
  task->ring();
  ASSERT_TRUE(eventually([&] { return task->steps == 2; }));
  task->ring();
  EXPECT_TRUE(completed(*task));
  task->ring();  // a late ring does nothing
  runner->drain();
  EXPECT_EQ(task->steps, 3);
}

TEST_F(RunnerTest, ATaskMaySleepBeforeItsFirstStep) {
  const auto task = std::make_shared<ScriptedTask>(done_at_once);
  task->first = sleep_for_ever(0);
  runner->start(task);
  EXPECT_EQ(task->steps, 0);
  task->ring();
  EXPECT_TRUE(completed(*task));
  runner->drain();
}

TEST_F(RunnerTest, ARingDuringAStepIsNotLost) {
  std::shared_ptr<ScriptedTask> task;
  task = std::make_shared<ScriptedTask>([&](int number) {
    if (number == 1) task->ring();
    return number == 1 ? sleep_for_ever(number) : done_at_once(number);
  });
  runner->start(task);
  EXPECT_TRUE(completed(*task));
  runner->drain();
  task.reset();
}

TEST_F(RunnerTest, TasksWakeInTheOrderOfTheirTimes) {
  base::Mutex mutex;
  std::vector<int> order;
  const auto start = Clock::now() + test::scaled(50ms);
  std::vector<std::shared_ptr<ScriptedTask>> tasks;
  for (const int place : {2, 0, 3, 1}) {
    auto task = std::make_shared<ScriptedTask>([start, place](int number) {
      return number == 1 ? WaitLoop::Step{false, start + place * test::scaled(10ms)}
                         : done_at_once(number);
    });
    task->then = [&mutex, &order, place] {
      base::MutexLock lock(mutex);
      order.push_back(place);
    };
    tasks.push_back(task);
    runner->start(task);
  }
  for (const auto& each : tasks) EXPECT_TRUE(completed(*each));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  runner->drain();
}

TEST_F(RunnerTest, ATaskIsDueAlthoughAnotherIsAlwaysReady) {
  std::atomic<bool> over{false};
  const auto busy = std::make_shared<ScriptedTask>([&](int number) {
    return over ? done_at_once(number) : WaitLoop::Step{false, engine::Deadline::min()};
  });
  const auto sleeper = std::make_shared<ScriptedTask>([](int number) {
    return number == 1 ? WaitLoop::Step{false, Clock::now() + 10ms} : done_at_once(2);
  });
  runner->start(busy);
  runner->start(sleeper);
  EXPECT_TRUE(eventually([&] { return sleeper->completions == 1; }, test::scaled(2s)));
  over = true;
  EXPECT_TRUE(completed(*busy));
  runner->drain();
}

TEST_F(RunnerTest, WaitsForEveryTaskWhenItIsDrained) {
  std::vector<std::shared_ptr<ScriptedTask>> tasks;
  for (int i = 0; i < 100; ++i) {
    tasks.push_back(std::make_shared<ScriptedTask>([](int number) {
      return number == 1 ? WaitLoop::Step{false, Clock::now() + 5ms} : done_at_once(2);
    }));
    runner->start(tasks.back());
  }
  runner->drain();
  for (const auto& each : tasks) EXPECT_EQ(each->completions, 1);
}

TEST_F(RunnerTest, ServesTasksThatComeAfterTheDrain) {
  runner->drain();
  const auto task = std::make_shared<ScriptedTask>(done_at_once, true);
  runner->start(task);
  EXPECT_TRUE(completed(*task));
  runner->drain();
}

TEST_F(RunnerTest, ACompletionMayDrainIt) {
  const auto task = std::make_shared<ScriptedTask>(done_at_once);
  task->then = [this] { runner->drain(); };
  runner->start(task);
  EXPECT_TRUE(completed(*task));
  runner->drain();
}

TEST_F(RunnerTest, ACompletionMayHaveTheLastReference) {
  auto alone = std::make_shared<Runner>(Executor());
  std::atomic<bool> over{false};
  const auto task = std::make_shared<ScriptedTask>(done_at_once);
  std::weak_ptr<Runner> watch = alone;
  std::atomic<bool> go{false};
  task->then = [&] { over = eventually([&] { return go.load(); }); };
  alone->start(task);
  alone.reset();
  go = true;
  EXPECT_TRUE(completed(*task));
  EXPECT_TRUE(over.load());
}

TEST_F(RunnerTest, GivesCompletionsToTheExecutor) {
  base::Mutex mutex;
  std::vector<std::function<void()>> posted;
  const auto with_executor = std::make_shared<Runner>([&](std::function<void()> work) {
    base::MutexLock lock(mutex);
    posted.push_back(std::move(work));
  });
  const auto task = std::make_shared<ScriptedTask>(done_at_once);
  with_executor->start(task);
  with_executor->drain();  // it has been posted by then, and need not have run
  EXPECT_EQ(task->completions, 0);
  ASSERT_EQ(posted.size(), 1u);
  posted.front()();
  EXPECT_EQ(task->completions, 1);
}

TEST_F(RunnerTest, AbandonsATaskWhenTheExecutorHasDestroyedAllCopiesOfItsFunction) {
  base::Mutex mutex;
  std::vector<std::function<void()>> posted;
  const auto with_executor =
      std::make_shared<Runner>([&](const std::function<void()>& work) {
        base::MutexLock lock(mutex);
        posted.assign(2, work);
      });
  const auto task = std::make_shared<ScriptedTask>(done_at_once);
  with_executor->start(task);
  with_executor->drain();
  ASSERT_EQ(posted.size(), 2u);
  posted.pop_back();
  EXPECT_EQ(task->abandoned, 0);
  posted.pop_back();
  EXPECT_EQ(task->abandoned, 1);
  EXPECT_EQ(task->completions, 0);
}

TEST(TimerHeapTest, GivesTheEarliestWhateverWasAddedAndRemoved) {
  std::mt19937 random(7);
  TimerHeap heap;
  std::vector<std::shared_ptr<ScriptedTask>> tasks;
  std::multiset<Clock::time_point> expected;
  std::vector<Clock::time_point> due;
  for (int i = 0; i < 500; ++i) {
    tasks.push_back(std::make_shared<ScriptedTask>(done_at_once));
    due.push_back(Clock::time_point(std::chrono::nanoseconds(random() % 1000)));
    heap.add(*tasks.back(), due.back());
    expected.insert(due.back());
  }
  for (std::size_t i = 0; i < tasks.size(); i += 3) {
    heap.remove(*tasks[i]);
    heap.remove(*tasks[i]);  // the second time it does nothing
    expected.erase(expected.find(due[i]));
  }
  for (const auto& each : expected) {
    ASSERT_EQ(heap.next_due(), each);
    heap.remove(heap.first());
  }
  EXPECT_TRUE(heap.empty());
  EXPECT_EQ(heap.next_due(), Clock::time_point::max());
}

}  // namespace
}  // namespace holdfast::core

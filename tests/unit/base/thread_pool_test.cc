// SPDX-License-Identifier: Apache-2.0

#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/eventually.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;
using test::eventually;

// A task that returns when it is told to.
class Blocker {
 public:
  std::function<void()> task() {
    return [this] {
      ++inside_;
      EXPECT_TRUE(eventually([&] { return go_.load(); }));
      ++outside_;
    };
  }
  int inside() const { return inside_; }
  int outside() const { return outside_; }
  void let_go() { go_ = true; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> outside_{0};
  std::atomic<bool> go_{false};
};

TEST(ThreadPoolTest, RunsTasksOneAfterTheOtherUnlessOneTakesLong) {
  ThreadPool pool({.name = "holdfast-test", .most = 4, .patience = 1h});
  std::atomic<int> running{0};
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(pool.post([&, i] {
      EXPECT_EQ(++running, 1);
      order.push_back(i);
      --running;
    }));
  }
  pool.stop();
  ASSERT_EQ(order.size(), 20u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ThreadPoolTest, ATaskIsNotDelayedByTasksThatBlock) {
  Blocker blocker;
  std::atomic<int> done{0};
  ThreadPool pool({.name = "holdfast-test", .most = 8, .patience = 1ms});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pool.post(blocker.task()));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.post([&] { ++done; }));
  EXPECT_TRUE(eventually([&] { return done == 100; }));
  EXPECT_EQ(blocker.inside(), 5);
  blocker.let_go();
}

TEST(ThreadPoolTest, HasNoMoreThreadsThanItMay) {
  Blocker blocker;
  std::atomic<bool> done{false};
  ThreadPool pool({.name = "holdfast-test", .most = 2, .patience = 0ms});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pool.post(blocker.task()));
  ASSERT_TRUE(pool.post([&] { done = true; }));
  ASSERT_TRUE(eventually([&] { return blocker.inside() == 2; }));
  EXPECT_FALSE(done);
  blocker.let_go();
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(ThreadPoolTest, StopWaitsForTasksAndRefusesLaterOnes) {
  std::atomic<int> done{0};
  ThreadPool pool({.name = "holdfast-test", .most = 3, .patience = 0ms});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(pool.post([&] {
      std::this_thread::yield();
      ++done;
    }));
  }
  pool.stop();
  EXPECT_EQ(done, 10);
  EXPECT_FALSE(pool.post([&] { ++done; }));
  EXPECT_EQ(done, 10);
}

TEST(ThreadPoolTest, ATaskMayDestroyThePool) {
  auto pool = std::make_unique<ThreadPool>(
      ThreadPool::Options{.name = "holdfast-test", .most = 3, .patience = 0ms});
  Blocker blocker;
  std::atomic<bool> gone{false};
  ThreadPool& plain = *pool;
  ASSERT_TRUE(plain.post(blocker.task()));
  ASSERT_TRUE(plain.post([&] {
    EXPECT_TRUE(pool->inside());
    pool.reset();
    gone = true;
  }));
  EXPECT_TRUE(eventually([&] { return gone.load(); }))
      << "it waited for the other task";
  blocker.let_go();
  EXPECT_TRUE(eventually([&] { return blocker.outside() == 1; }));
}

}  // namespace
}  // namespace holdfast::base

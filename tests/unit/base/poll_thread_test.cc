// SPDX-License-Identifier: Apache-2.0

#include "base/poll_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include "support/eventually.h"
#include "support/no_threads.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;

TEST(PollThreadTest, LooksOnlyAfterItWasWoken) {
  std::atomic<int> looks{0};
  PollThread thread("holdfast-test", [&] {
    ++looks;
    return Clock::time_point::max();
  });
  EXPECT_EQ(looks, 0);
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks == 1; }));
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks == 2; }));
}

TEST(PollThreadTest, LooksAgainWhenItIsDue) {
  std::atomic<int> looks{0};
  PollThread thread("holdfast-test", [&] {
    return ++looks < 3 ? Clock::now() + 1ms : Clock::time_point::max();
  });
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks == 3; }));
}

TEST(PollThreadTest, LooksAgainAfterItRanOutOfMemory) {
  std::atomic<int> looks{0};
  PollThread thread("holdfast-test", [&] {
    if (++looks == 1) throw std::bad_alloc();
    return Clock::time_point::max();
  });
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks == 2; }));
}

// A wake that comes while it looks is not lost.
TEST(PollThreadTest, LooksOnceMoreIfItWasWokenMeanwhile) {
  std::atomic<int> looks{0};
  std::atomic<bool> go_on{false};
  PollThread thread("holdfast-test", [&] {
    ++looks;
    while (!go_on) std::this_thread::yield();
    return Clock::time_point::max();
  });
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks == 1; }));
  EXPECT_TRUE(thread.wake());
  go_on = true;
  EXPECT_TRUE(test::eventually([&] { return looks == 2; }));
}

TEST(PollThreadTest, LooksWhenThereIsAThreadAgain) {
  std::atomic<int> looks{0};
  PollThread thread("holdfast-test", [&] {
    ++looks;
    return Clock::time_point::max();
  });
  {
    const test::NoThreads none;
    EXPECT_FALSE(thread.wake());
  }
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks == 1; }));
}

TEST(PollThreadTest, DoesNotLookAfterItWasStopped) {
  std::atomic<int> looks{0};
  PollThread thread("holdfast-test", [&] {
    ++looks;
    return Clock::now() + 1ms;
  });
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::eventually([&] { return looks > 0; }));
  thread.stop();
  const int before = looks;
  EXPECT_TRUE(thread.wake());
  EXPECT_TRUE(test::throughout(20ms, [&] { return looks == before; }));
}

}  // namespace
}  // namespace holdfast::base

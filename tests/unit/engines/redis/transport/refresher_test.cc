// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/refresher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include "support/eventually.h"
#include "support/no_threads.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using test::eventually;

TEST(RefresherTest, TheFirstRoundIsWantedAndTheOthersAreAskedFor) {
  std::atomic<int> rounds{0};
  Refresher refresher("hf-test", 1ms, {}, [&] { return ++rounds > 0; });
  EXPECT_EQ(rounds, 0) << "it was not started";
  ASSERT_TRUE(refresher.start());
  EXPECT_TRUE(eventually([&] { return rounds == 1; }));
  refresher.request_refresh();
  EXPECT_TRUE(eventually([&] { return rounds == 2; }));
  refresher.stop();
  refresher.request_refresh();
  EXPECT_EQ(rounds, 2);
}

TEST(RefresherTest, ARoundWithoutMemoryIsRepeated) {
  std::atomic<int> rounds{0};
  Refresher refresher("hf-test", 1ms, {.base = 1ms}, [&] {
    if (++rounds == 1) throw std::bad_alloc();
    return true;
  });
  ASSERT_TRUE(refresher.start());
  EXPECT_TRUE(eventually([&] { return rounds == 2; }));
}

TEST(RefresherTest, WhatIsWantedDuringARoundIsOneMore) {
  std::atomic<int> rounds{0};
  Refresher* self = nullptr;
  Refresher refresher("hf-test", 1ms, {}, [&] {
    if (++rounds == 1) {
      for (int i = 0; i < 3; ++i) self->request_refresh();
    }
    return true;
  });
  self = &refresher;
  ASSERT_TRUE(refresher.start());
  EXPECT_TRUE(eventually([&] { return rounds == 2; }));
  refresher.stop();
  EXPECT_EQ(rounds, 2);
}

// It rests for an hour after what came of the first round, and a new wish has to wait.
TEST(RefresherTest, ARestIsKeptAndEndsWithTheThread) {
  for (const bool succeeds : {true, false}) {
    const std::chrono::milliseconds pause = succeeds ? 1h : 0h;
    const RetryPolicy retry{.base = succeeds ? 1ms : 1h};
    std::atomic<int> rounds{0};
    Refresher refresher("hf-test", pause, retry, [&] {
      ++rounds;
      return succeeds;
    });
    ASSERT_TRUE(refresher.start());
    EXPECT_TRUE(eventually([&] { return rounds == 1; }));
    refresher.request_refresh();
    EXPECT_TRUE(test::throughout(50ms, [&] { return rounds == 1; }));
    refresher.stop();
    EXPECT_EQ(rounds, 1);
  }
}

// What was asked for before the start is learnt in the first round.
TEST(RefresherTest, StartsWhenItIsToldToAndThereIsAThread) {
  std::atomic<int> rounds{0};
  Refresher refresher("hf-test", 1ms, {}, [&] { return ++rounds > 0; });
  refresher.request_refresh();
  EXPECT_TRUE(test::throughout(20ms, [&] { return rounds == 0; }));
  {
    const test::NoThreads none;
    EXPECT_FALSE(refresher.start());
  }
  ASSERT_TRUE(refresher.start());
  EXPECT_TRUE(eventually([&] { return rounds == 1; }));
  EXPECT_TRUE(test::throughout(20ms, [&] { return rounds == 1; }));
}

}  // namespace
}  // namespace holdfast::redis

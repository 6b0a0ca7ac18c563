// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/refresher.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/eventually.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using test::eventually;

TEST(RefresherTest, TheFirstRoundIsWantedAndTheOthersAreAskedFor) {
  std::atomic<int> rounds{0};
  Refresher refresher(1ms, {}, [&] { return ++rounds > 0; });
  EXPECT_EQ(rounds, 0) << "it was not started";
  refresher.start("hf-test");
  EXPECT_TRUE(eventually([&] { return rounds == 1; }));
  refresher.request_refresh();
  EXPECT_TRUE(eventually([&] { return rounds == 2; }));
  refresher.stop();
  refresher.request_refresh();
  EXPECT_EQ(rounds, 2);
}

TEST(RefresherTest, WhatIsWantedDuringARoundIsOneMore) {
  std::atomic<int> rounds{0};
  Refresher* self = nullptr;
  Refresher refresher(1ms, {}, [&] {
    if (++rounds == 1) {
      for (int i = 0; i < 3; ++i) self->request_refresh();
    }
    return true;
  });
  self = &refresher;
  refresher.start("hf-test");
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
    Refresher refresher(pause, retry, [&] {
      ++rounds;
      return succeeds;
    });
    refresher.start("hf-test");
    EXPECT_TRUE(eventually([&] { return rounds == 1; }));
    refresher.request_refresh();
    EXPECT_TRUE(test::throughout(50ms, [&] { return rounds == 1; }));
    refresher.stop();
    EXPECT_EQ(rounds, 1);
  }
}

}  // namespace
}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/thread_parker.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/scale.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

TEST(RedisThreadParkerTest, AThreadThatWasWokenBeforeDoesNotSleep) {
  ThreadParker parker;
  parker.unpark();
  EXPECT_TRUE(parker.park(engine::Deadline::min()));
  EXPECT_TRUE(parker.park(engine::Deadline::max()));
}

TEST(RedisThreadParkerTest, TheDeadlineEndsTheSleep) {
  ThreadParker parker;
  const auto start = Clock::now();
  EXPECT_FALSE(parker.park(start + 20ms));
  EXPECT_GE(Clock::now() - start, 20ms);
  EXPECT_FALSE(parker.park(engine::Deadline::min()));
  parker.unpark();
  EXPECT_TRUE(parker.park(engine::Deadline::max()));
}

TEST(RedisThreadParkerTest, AWokenThreadSeesWhatWasWritten) {
  for (int round = 0; round < 1000; ++round) {
    ThreadParker parker;
    int written = 0;
    std::thread other([&] {
      written = round;
      parker.unpark();
    });
    EXPECT_TRUE(parker.park(Clock::now() + test::patience()));
    EXPECT_EQ(written, round);
    other.join();
  }
}

}  // namespace
}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/liveness_proof.h"

#include <gtest/gtest.h>

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr auto kReport = 100ms;

class LivenessProofTest : public testing::Test {
 protected:
  static Clock::time_point at(std::chrono::milliseconds time) {
    return Clock::time_point(1h) + time;
  }
  void read(std::chrono::milliseconds sent, std::chrono::milliseconds answered) {
    liveness_.answered(at(sent), at(answered), false, kReport);
  }
  void write(std::chrono::milliseconds sent, std::chrono::milliseconds answered) {
    liveness_.answered(at(sent), at(answered), true, kReport);
  }
  std::chrono::milliseconds alive_from() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        liveness_.alive_from() - at(0ms));
  }

  LivenessProof liveness_{at(0ms)};
};

TEST_F(LivenessProofTest, ASessionIsAsOldAsItsHandle) { EXPECT_EQ(alive_from(), 0ms); }

TEST_F(LivenessProofTest, ReadsAloneProveNothing) {
  for (auto time = 10ms; time < 10s; time += 10ms) read(time, time + 1ms);
  EXPECT_EQ(alive_from(), 0ms);
}

TEST_F(LivenessProofTest, AWriteProvesWhatWasAnsweredAReportBefore) {
  read(200ms, 201ms);
  write(300ms, 302ms);
  EXPECT_EQ(alive_from(), 0ms) << "the follower need not have told the leader yet";
  write(301ms, 303ms);
  EXPECT_EQ(alive_from(), 200ms);
}

TEST_F(LivenessProofTest, AWriteIsProvedByTheNextOne) {
  write(100ms, 101ms);
  write(1000ms, 1001ms);
  EXPECT_EQ(alive_from(), 100ms);
  write(2000ms, 2001ms);
  EXPECT_EQ(alive_from(), 1000ms);
}

// The read may have been delayed, and have arrived together with the write.
TEST_F(LivenessProofTest, ARequestCountsFromItsAnswerOnly) {
  read(100ms, 900ms);
  write(950ms, 951ms);
  EXPECT_EQ(alive_from(), 0ms);
  write(1000ms, 1001ms);
  EXPECT_EQ(alive_from(), 100ms);
}

TEST_F(LivenessProofTest, ItNeverGrowsOlder) {
  read(500ms, 501ms);
  write(700ms, 701ms);
  write(600ms, 702ms);
  EXPECT_EQ(alive_from(), 500ms);
}

// However many contacts there are, one of the right age is remembered.
TEST_F(LivenessProofTest, ManyRequestsLeaveNoGap) {
  for (const auto took : {1ms, 50ms, 1000ms}) {
    LivenessProof proof(at(0ms));
    for (auto time = 0ms; time < 10s; time += 1ms) {
      proof.answered(at(time), at(time + took), time.count() % 2 == 0, kReport);
    }
    const auto age = at(10s) - proof.alive_from();
    EXPECT_LE(age, 2 * (kReport + took)) << took.count();
    EXPECT_GE(age, kReport + took) << took.count();
  }
}

}  // namespace
}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "run/stopping.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Step = Stopping::Step;
using Time = Stopping::Time;

constexpr Time kStart{1h};

TEST(StoppingTest, WithoutALeaseNothingIsDue) {
  Stopping stopping(OnLost::term, 5s, kStart, Time::max());
  EXPECT_EQ(stopping.next(), Time::max());
  EXPECT_EQ(stopping.step(kStart + 1000h), Step::none);
  EXPECT_FALSE(stopping.lost());
}

TEST(StoppingTest, SignalsThenKillsBeforeTheLeaseEnds) {
  Stopping stopping(OnLost::term, 5s, kStart, kStart + 10s);
  EXPECT_EQ(stopping.next(), kStart + 7s);  // the margin is 1 s, the grace 2 s
  EXPECT_EQ(stopping.step(kStart + 7s - 1ns), Step::none);
  EXPECT_EQ(stopping.step(kStart + 7s), Step::signal);
  EXPECT_TRUE(stopping.lost());
  EXPECT_TRUE(stopping.ending());
  EXPECT_EQ(stopping.next(), kStart + 9s);
  EXPECT_EQ(stopping.step(kStart + 9s), Step::kill);
  EXPECT_EQ(stopping.step(kStart + 20s), Step::none);
}

TEST(StoppingTest, IsOverdueBeforeTheLeaseEnds) {
  Stopping stopping(OnLost::term, 5s, kStart, kStart + 10s);
  EXPECT_EQ(stopping.overdue(), Time::max());
  ASSERT_EQ(stopping.step(kStart + 7s), Step::signal);
  EXPECT_EQ(stopping.overdue(), kStart + 9500ms);
  ASSERT_EQ(stopping.step(kStart + 9s), Step::kill);
  EXPECT_EQ(stopping.overdue(), kStart + 9500ms);
}

TEST(StoppingTest, IsOverdueAWhileAfterTheGraceWithoutALease) {
  Stopping stopping(OnLost::term, 5s, kStart, Time::max());
  stopping.tell_lost();
  ASSERT_EQ(stopping.step(kStart), Step::signal);
  EXPECT_EQ(stopping.overdue(), kStart + 5500ms);
}

TEST(StoppingTest, WithTheWarnPolicyItIsNeverOverdue) {
  Stopping stopping(OnLost::warn, 5s, kStart, kStart + 10s);
  ASSERT_EQ(stopping.step(kStart + 20s), Step::warn);
  EXPECT_EQ(stopping.overdue(), Time::max());
}

TEST(StoppingTest, WakingUpTooLateKillsAtOnce) {
  Stopping stopping(OnLost::term, 5s, kStart, kStart + 10s);
  EXPECT_EQ(stopping.step(kStart + 1h), Step::kill);
}

TEST(StoppingTest, ARenewalPutsTheEndOff) {
  Stopping stopping(OnLost::term, 5s, kStart, kStart + 10s);
  stopping.extend(kStart + 15s);
  EXPECT_EQ(stopping.step(kStart + 8s), Step::none);
  EXPECT_EQ(stopping.step(kStart + 12s), Step::signal);
  stopping.extend(kStart + 100s);
  EXPECT_EQ(stopping.next(), kStart + 14s) << "a renewal came too late to take it back";
}

TEST(StoppingTest, ALossGivesTheGraceOfTheUser) {
  Stopping stopping(OnLost::term, 5s, kStart, Time::max());
  stopping.tell_lost();
  EXPECT_EQ(stopping.step(kStart + 1s), Step::signal);
  EXPECT_EQ(stopping.next(), kStart + 6s);
  EXPECT_EQ(stopping.step(kStart + 6s), Step::kill);
}

TEST(StoppingTest, TheGraceNeverGoesBeyondTheLease) {
  Stopping stopping(OnLost::term, 60s, kStart, kStart + 10s);
  stopping.tell_lost();
  EXPECT_EQ(stopping.step(kStart + 1s), Step::signal);
  EXPECT_EQ(stopping.next(), kStart + 9s);
}

TEST(StoppingTest, TheKillPolicyHasNoGrace) {
  Stopping stopping(OnLost::kill, 5s, kStart, kStart + 10s);
  EXPECT_EQ(stopping.next(), kStart + 9s);
  EXPECT_EQ(stopping.step(kStart + 9s), Step::kill);
}

TEST(StoppingTest, TheWarnPolicyEndsOnlyAnOrphan) {
  Stopping stopping(OnLost::warn, 5s, kStart, Time::max());
  stopping.tell_lost();
  EXPECT_EQ(stopping.step(kStart), Step::warn);
  EXPECT_EQ(stopping.step(kStart + 1h), Step::none);
  EXPECT_EQ(stopping.next(), Time::max());
  stopping.tell_orphaned();
  EXPECT_EQ(stopping.step(kStart + 1h), Step::signal);
  EXPECT_EQ(stopping.step(kStart + 1h + 5s), Step::kill);
}

TEST(StoppingTest, AnEndlessPatienceDoesNotOverflow) {
  Stopping stopping(OnLost::term, Duration::max(), kStart, Time::max());
  stopping.tell_lost();
  EXPECT_EQ(stopping.step(kStart), Step::signal);
  EXPECT_EQ(stopping.next(), Time::max());
}

}  // namespace
}  // namespace holdfast::cli

#include "core/renewal_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Time = Clock::time_point;

constexpr Time at(Clock::duration span) { return Time(1000s) + span; }

class RenewalScheduleTest : public testing::Test {
 protected:
  void add(RenewalSchedule::Id id, Clock::duration sent, engine::Lease lease,
           bool renewed = true, Time cap = Time::max()) {
    schedule.add(id,
                 {.sent = at(sent), .lease = lease, .cap = cap, .renewed = renewed});
  }
  RenewalSchedule schedule{30s};
};

TEST_F(RenewalScheduleTest, ADeadlineAllowsForDrift) {
  EXPECT_EQ(deadline_of(at(0s), 10s), at(10s - 100ms - 2ms));
  EXPECT_EQ(deadline_of(at(0s), 1ms), at(0s)) << "not before it was asked for";
  EXPECT_EQ(deadline_of(at(0s), engine::kNoLease), Time::max());
  EXPECT_EQ(deadline_of(Time::max() - 1s, 10s), Time::max());
}

TEST_F(RenewalScheduleTest, RenewsAfterAThird) {
  add(1, 0s, 30s);
  auto duty = schedule.poll(at(9s));
  EXPECT_THAT(duty.renew, IsEmpty());
  EXPECT_EQ(duty.next, at(10s));
  EXPECT_EQ(duty.earliest, at(30s - 300ms - 2ms));
  duty = schedule.poll(at(10s));
  EXPECT_THAT(duty.renew, ElementsAre(1));
  schedule.renewed(1, at(10s), 30s);
  EXPECT_EQ(schedule.poll(at(10s)).next, at(20s));
}

TEST_F(RenewalScheduleTest, TakesAlongThoseThatAreSoonDue) {
  add(1, 0s, 30s);
  add(2, 4s, 30s);
  add(3, 9s, 30s);
  EXPECT_THAT(schedule.poll(at(10s)).renew, ElementsAre(1, 2));
}

TEST_F(RenewalScheduleTest, RetriesUntilTheDeadlineAndNoLonger) {
  add(1, 0s, 10s);
  Time now = at(3334ms);
  int tries = 0;
  for (;;) {
    const auto duty = schedule.poll(now);
    if (!duty.lost.empty()) break;
    ASSERT_THAT(duty.renew, ElementsAre(1));
    schedule.failed(1, now);
    now = schedule.poll(now).next;
    ++tries;
  }
  EXPECT_EQ(now, deadline_of(at(0s), 10s))
      << "unknown is not lost until the clock says";
  EXPECT_GT(tries, 5);
  EXPECT_LT(tries, 100);
}

TEST_F(RenewalScheduleTest, ASuccessCountsFromWhenItWasSent) {
  add(1, 0s, 10s);
  schedule.renewed(1, at(4s), 10s);
  EXPECT_THAT(schedule.poll(at(13s)).lost, IsEmpty());
  EXPECT_THAT(schedule.poll(at(4s) + 10s).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, AFixedLeaseIsNeverRenewed) {
  add(1, 0s, 10s, false);
  EXPECT_EQ(schedule.poll(at(5s)).next, deadline_of(at(0s), 10s));
  EXPECT_THAT(schedule.poll(at(9s)).renew, IsEmpty());
  EXPECT_THAT(schedule.poll(at(10s)).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, AskingAboutAFixedLeaseDoesNotExtendIt) {
  add(1, 0s, 10s, false);
  schedule.hasten(at(5s));
  EXPECT_THAT(schedule.poll(at(5s)).renew, ElementsAre(1));
  schedule.renewed(1, at(5s), 10s);
  EXPECT_THAT(schedule.poll(at(6s)).renew, IsEmpty());
  EXPECT_THAT(schedule.poll(at(10s)).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, ACapEndsARenewedLease) {
  add(1, 0s, 10s, true, at(12s));
  schedule.renewed(1, at(4s), 10s);
  schedule.renewed(1, at(8s), 10s);
  EXPECT_EQ(schedule.find(1)->deadline(), at(12s));
  EXPECT_THAT(schedule.poll(at(12s)).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, WhatDoesNotEndByTimeIsAskedAboutNowAndThen) {
  add(1, 0s, engine::kNoLease);
  EXPECT_EQ(schedule.poll(at(1s)).next, at(10s));
  EXPECT_THAT(schedule.poll(at(10s)).renew, ElementsAre(1));
  EXPECT_THAT(schedule.poll(at(1000h)).lost, IsEmpty());
}

TEST_F(RenewalScheduleTest, AnAlarmAsksAboutAll) {
  add(1, 0s, 30s);
  add(2, 0s, engine::kNoLease);
  schedule.hasten(at(1s));
  EXPECT_THAT(schedule.poll(at(1s)).renew, ElementsAre(1, 2));
}

TEST_F(RenewalScheduleTest, WhatWasRemovedIsForgotten) {
  add(1, 0s, 30s);
  schedule.remove(1);
  schedule.renewed(1, at(1s), 30s);
  schedule.failed(1, at(1s));
  EXPECT_EQ(schedule.find(1), nullptr);
  EXPECT_EQ(schedule.poll(at(1h)).next, Time::max());
}

}  // namespace
}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "core/renewal_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Time = Clock::time_point;

constexpr Time at(Clock::duration span) { return Time(1000s) + span; }

class RenewalScheduleTest : public testing::Test {
 protected:
  void add(RenewalSchedule::Id id, Clock::duration sent, engine::LeaseTime lease,
           bool renewed = true, Time cap = Time::max()) {
    schedule.add(id,
                 {.sent = at(sent), .lease = lease, .cap = cap, .renewed = renewed});
  }
  // Returns the ids of the one call that is due at `now`.
  std::vector<RenewalSchedule::Id> renew(Time now) {
    const auto plan = schedule.poll(now);
    EXPECT_LE(plan.calls.size(), 1u);
    if (plan.calls.empty()) return {};
    call = plan.calls[0].answer_due;
    return plan.calls[0].ids;
  }

  RenewalSchedule schedule{30s};
  Time call = Time::max();  // the last one
};

TEST_F(RenewalScheduleTest, ADeadlineAllowsForDrift) {
  EXPECT_EQ(deadline_of(at(0s), 10s), at(10s - 100ms - 2ms));
  EXPECT_EQ(deadline_of(at(0s), 1ms), at(0s)) << "it ends before it was asked for";
  EXPECT_EQ(deadline_of(at(0s), engine::kNoLease), Time::max());
  EXPECT_EQ(deadline_of(Time::max() - 1s, 10s), Time::max());
}

TEST_F(RenewalScheduleTest, AsksForALeaseThatEndsWhenItShould) {
  const engine::LeaseTime ttl = 30s;
  const RenewalSchedule::Entry renewed{.sent = at(0s), .lease = 10s};
  EXPECT_EQ(renewed.lease_to_ask(10s, ttl, at(3s)), 10s);
  EXPECT_EQ(renewed.lease_to_ask(0s, ttl, at(3s)), 0s) << "the session's ttl";
  const RenewalSchedule::Entry capped{.sent = at(0s), .lease = 10s, .cap = at(20s)};
  EXPECT_EQ(capped.lease_to_ask(10s, ttl, at(3s)), 10s);
  EXPECT_EQ(capped.lease_to_ask(10s, ttl, at(15s)), 5s);
  EXPECT_EQ(capped.lease_to_ask(0s, ttl, at(3s)), 17s);
  const RenewalSchedule::Entry fixed{.sent = at(0s), .lease = 10s, .renewed = false};
  EXPECT_EQ(fixed.lease_to_ask(10s, ttl, at(3s)), 7s);
}

TEST_F(RenewalScheduleTest, RenewsAfterAThird) {
  add(1, 0s, 30s);
  EXPECT_EQ(schedule.poll(at(9s)).next, at(10s));
  EXPECT_THAT(renew(at(9s)), IsEmpty());
  EXPECT_THAT(renew(at(10s)), ElementsAre(1));
  EXPECT_THAT(renew(at(10s)), IsEmpty()) << "a call for it is under way";
  schedule.renewed(1, call, at(10s), 30s);
  EXPECT_EQ(schedule.poll(at(10s)).next, at(20s));
}

TEST_F(RenewalScheduleTest, ACallAlsoRenewsLeasesThatAreSoonDue) {
  add(1, 0s, 30s);
  add(2, 4s, 30s);
  add(3, 9s, 30s);
  EXPECT_THAT(renew(at(10s)), ElementsAre(1, 2));
}

TEST_F(RenewalScheduleTest, ACallMayTakeASixthOfTheShortestLeaseInIt) {
  add(1, 0s, 12s);
  add(2, 0s, 9s);
  const auto plan = schedule.poll(at(4s));
  ASSERT_EQ(plan.calls.size(), 1u);
  EXPECT_EQ(plan.calls[0].limit, 1500ms);
  EXPECT_EQ(plan.next, at(4s) + 1500ms) << "an unanswered call is not looked after";
}

TEST_F(RenewalScheduleTest, ACallMayTakeTimeToConnectButNoMoreThanFiveSeconds) {
  add(1, 0s, 1h);
  EXPECT_EQ(schedule.poll(at(20min)).calls.at(0).limit, 5s);
  schedule.remove(1);
  add(2, 0s, 1s);
  EXPECT_EQ(schedule.poll(at(400ms)).calls.at(0).limit, 500ms);
}

TEST_F(RenewalScheduleTest, ShortLeasesAreNotAskedAboutWithLongOnes) {
  add(1, 0s, 30s);
  add(2, 9s, 1s);
  const auto plan = schedule.poll(at(9500ms));
  ASSERT_EQ(plan.calls.size(), 2u);
  EXPECT_THAT(plan.calls[0].ids, ElementsAre(2));
  EXPECT_THAT(plan.calls[1].ids, ElementsAre(1));
  EXPECT_EQ(plan.calls[1].limit, 5s);
}

TEST_F(RenewalScheduleTest, FixedLeasesAreNotAskedAboutWithRenewedOnes) {
  add(1, 0s, 10s);
  add(2, 0s, 10s, false);
  schedule.hasten(at(9s));
  EXPECT_EQ(schedule.poll(at(9s)).calls.size(), 2u);
}

TEST_F(RenewalScheduleTest, RetriesUntilTheDeadlineAndNoLonger) {
  add(1, 0s, 10s);
  Time now = at(3334ms);
  int tries = 0;
  while (schedule.poll(now).lost.empty()) {
    const auto plan = schedule.poll(now);
    const auto* const entry = schedule.find(1);
    if (entry->asked()) {
      schedule.failed(1, entry->answer_due, now);
      ++tries;
    }
    now = schedule.poll(now).next;
  }
  EXPECT_EQ(now, deadline_of(at(0s), 10s)) << "it was lost before its deadline";
  EXPECT_GT(tries, 5);
  EXPECT_LT(tries, 100);
}

TEST_F(RenewalScheduleTest, ACallThatIsNotAnsweredHasFailed) {
  add(1, 0s, 30s);
  ASSERT_THAT(renew(at(10s)), ElementsAre(1));
  const Time first = call;
  EXPECT_EQ(schedule.poll(at(15s)).next, at(15s) + 300ms);
  ASSERT_THAT(renew(at(15s) + 300ms), ElementsAre(1));
  schedule.failed(1, first, at(16s));
  EXPECT_TRUE(schedule.find(1)->asked()) << "no other call is under way";
}

TEST_F(RenewalScheduleTest, AnAnswerThatComesLateCounts) {
  add(1, 0s, 30s);
  ASSERT_THAT(renew(at(10s)), ElementsAre(1));
  const Time first = call;
  (void)schedule.poll(at(15s));
  ASSERT_THAT(renew(at(16s)), ElementsAre(1));
  schedule.renewed(1, first, at(10s), 30s);
  EXPECT_EQ(schedule.find(1)->deadline(), deadline_of(at(10s), 30s));
  EXPECT_TRUE(schedule.find(1)->asked());
  schedule.renewed(1, call, at(16s), 30s);
  schedule.renewed(1, first, at(10s), 30s);
  EXPECT_EQ(schedule.find(1)->deadline(), deadline_of(at(16s), 30s));
  EXPECT_EQ(schedule.find(1)->due, at(26s));
}

// One of a thousand leases keeps every call that it is in from being answered.
TEST_F(RenewalScheduleTest, ALeaseThatSpoilsItsCallsIsSoonAlone) {
  constexpr RenewalSchedule::Id kToBlame = 500;
  for (RenewalSchedule::Id id = 1; id <= 1000; ++id) add(id, 0s, 30s);
  std::size_t most = 0;
  for (Time now = at(10s); now < at(29s); now = schedule.poll(now).next) {
    const auto plan = schedule.poll(now);
    EXPECT_THAT(plan.lost, IsEmpty());
    most = std::max(most, plan.calls.size());
    for (const auto& each : plan.calls) {
      if (std::find(each.ids.begin(), each.ids.end(), kToBlame) != each.ids.end()) {
        continue;
      }
      for (const auto id : each.ids) {
        schedule.renewed(id, each.answer_due, now, 30s);
      }
    }
  }
  EXPECT_THAT(schedule.poll(at(30s)).lost, ElementsAre(kToBlame));
  EXPECT_LE(most, 17u);
}

TEST_F(RenewalScheduleTest, ASuccessCountsFromWhenItWasSent) {
  add(1, 0s, 10s);
  schedule.renewed(1, Time::max(), at(4s), 10s);
  EXPECT_THAT(schedule.poll(at(13s)).lost, IsEmpty());
  EXPECT_THAT(schedule.poll(at(4s) + 10s).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, APostponedLeaseHasNotFailed) {
  add(1, 0s, 30s);
  ASSERT_THAT(renew(at(10s)), ElementsAre(1));
  schedule.postponed(1, call, at(10s));
  EXPECT_FALSE(schedule.find(1)->asked());
  EXPECT_EQ(schedule.find(1)->failures, 0);
  EXPECT_THAT(renew(at(11s)), ElementsAre(1));
}

TEST_F(RenewalScheduleTest, AFixedLeaseIsNeverRenewed) {
  add(1, 0s, 10s, false);
  EXPECT_EQ(schedule.poll(at(5s)).next, deadline_of(at(0s), 10s));
  EXPECT_THAT(renew(at(9s)), IsEmpty());
  EXPECT_THAT(schedule.poll(at(10s)).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, AskingAboutAFixedLeaseDoesNotExtendIt) {
  add(1, 0s, 10s, false);
  schedule.hasten(at(5s));
  EXPECT_THAT(renew(at(5s)), ElementsAre(1));
  schedule.renewed(1, call, at(5s), 10s);
  EXPECT_THAT(renew(at(6s)), IsEmpty());
  EXPECT_THAT(schedule.poll(at(10s)).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, ACapEndsARenewedLease) {
  add(1, 0s, 10s, true, at(12s));
  schedule.renewed(1, Time::max(), at(4s), 10s);
  schedule.renewed(1, Time::max(), at(8s), 10s);
  EXPECT_EQ(schedule.find(1)->deadline(), at(12s));
  EXPECT_THAT(schedule.poll(at(12s)).lost, ElementsAre(1));
}

TEST_F(RenewalScheduleTest, ALeaseWithoutEndIsAskedAboutRegularly) {
  add(1, 0s, engine::kNoLease);
  EXPECT_EQ(schedule.poll(at(1s)).next, at(10s));
  EXPECT_THAT(renew(at(10s)), ElementsAre(1));
  EXPECT_THAT(schedule.poll(at(1000h)).lost, IsEmpty());
}

TEST_F(RenewalScheduleTest, AnAlarmMakesEveryLeaseDue) {
  add(1, 0s, 30s);
  add(2, 0s, engine::kNoLease);
  schedule.hasten(at(1s));
  EXPECT_THAT(renew(at(1s)), ElementsAre(1, 2));
}

TEST_F(RenewalScheduleTest, AnAlarmDuringACallAsksAgainAfterIt) {
  add(1, 0s, 30s);
  ASSERT_THAT(renew(at(10s)), ElementsAre(1));
  schedule.hasten(at(11s));
  EXPECT_THAT(renew(at(11s)), IsEmpty());
  schedule.renewed(1, call, at(10s), 30s);
  EXPECT_THAT(renew(at(11s)), ElementsAre(1));
}

TEST_F(RenewalScheduleTest, ARemovedLeaseIsForgotten) {
  add(1, 0s, 30s);
  ASSERT_THAT(renew(at(10s)), ElementsAre(1));
  schedule.remove(1);
  schedule.renewed(1, call, at(10s), 30s);
  schedule.failed(1, call, at(10s));
  EXPECT_EQ(schedule.find(1), nullptr);
  EXPECT_EQ(schedule.poll(at(1h)).next, Time::max());
}

}  // namespace
}  // namespace holdfast::core

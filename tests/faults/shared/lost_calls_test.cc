// SPDX-License-Identifier: Apache-2.0

#include "faults/lost_calls.h"

#include "faults/ground.h"
#include "faults/shared/rows.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EachCallLost : public OnRow {
 protected:
  void TearDown() override { ground_->expect_no_claims(); }
};

TEST_P(EachCallLost, ALockAndAnUnlock) { a_lock_and_an_unlock(calls_); }
TEST_P(EachCallLost, AReleaseIsToldTruly) { a_release_is_told_truly(calls_); }
TEST_P(EachCallLost, AWait) { a_wait(calls_); }
TEST_P(EachCallLost, AWaitThatIsGivenUp) { a_wait_that_is_given_up(calls_); }
TEST_P(EachCallLost, ALook) { a_look(calls_); }
TEST_P(EachCallLost, ReadersAndADowngrade) { readers_and_a_downgrade(calls_); }
TEST_P(EachCallLost, Permits) { permits(calls_); }
TEST_P(EachCallLost, Parties) { parties(calls_); }
TEST_P(EachCallLost, AChangeIsMadeOnce) { a_change_is_made_once(calls_); }
TEST_P(EachCallLost, AVersionedChange) { a_versioned_change_is_made_once(calls_); }

INSTANTIATE_TEST_SUITE_P(, EachCallLost, testing::ValuesIn(rows()), name_of);

using LostRenewal = EachCallLost;

TEST_P(LostRenewal, AHoldOutlivesIt) {
  const LostRenewals lost = *GetParam().lost_renewals;
  const auto ttl = scaled(2s);
  const Client client = bad_line_.open(ttl);
  for (int step = 0; step < lost.steps; ++step) {
    for (const bool reply : {false, true}) {
      Mutex mutex(client, "a");
      const auto hold = mutex.acquire({.wait = patience()});
      ASSERT_TRUE(hold) << hold.error().message();
      reply ? bad_line_.line.lose_replies(lost.calls, step)
            : bad_line_.line.lose_requests(lost.calls, step);
      EXPECT_TRUE(throughout(lost.ttls * ttl, [&] { return hold->valid(); }));
      bad_line_.line.lose_replies(0);
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LostRenewal);
INSTANTIATE_TEST_SUITE_P(, LostRenewal,
                         testing::ValuesIn(rows_with(&Row::lost_renewals)), name_of);

}  // namespace
}  // namespace holdfast::test

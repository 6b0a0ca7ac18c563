// SPDX-License-Identifier: Apache-2.0

// Since when a hold lasts, as an observer sees it.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/admin.h"
#include "holdfast/election.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Kind;
using engine::Mode;
using WallClock = std::chrono::system_clock;

// Engines may count whole seconds.
constexpr auto kTolerance = std::chrono::seconds(1);

struct Between {
  WallClock::time_point first;
  WallClock::time_point last = WallClock::now();

  testing::AssertionResult has(std::optional<WallClock::time_point> since) const {
    if (!since) return testing::AssertionFailure() << "no time is shown";
    if (*since >= first - kTolerance && *since <= last + kTolerance) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << std::chrono::duration<double>(*since - first).count()
           << " s after the lock was asked for";
  }
};

class HoldTimes : public Conformance {
 protected:
  struct Sort {
    const char* what;
    Kind kind;
    engine::Claim claim;
  };
  static std::vector<Sort> sorts() {
    return {{"mutex", Kind::mutex, {}},
            {"fair mutex", Kind::fair_mutex, {}},
            {"election", Kind::election, {.payload = "ann"}},
            {"writer", Kind::shared_mutex, {.mode = Mode::exclusive}},
            {"reader", Kind::shared_mutex, {.mode = Mode::shared}},
            {"semaphore", Kind::semaphore, {.permits = 2, .capacity = 5}},
            {"double barrier", Kind::double_barrier, {.capacity = 1}}};
  }

  static void renew(const Client& client, const ClaimLock& lock) {
    engine::ClaimRef ref{&lock.resource(), &lock.claim()};
    const auto renewed = client.session().renew({&ref, 1}, soon());
    ASSERT_TRUE(renewed) << renewed.error().message();
    ASSERT_FALSE(ref.outcome) << ref.outcome.message();
  }
};

HOLDFAST_CONFORMANCE(HoldTimes);

TEST_P(HoldTimes, AreSeenAfterARenewalAndStayTheSame) {
  const Client client = open();
  const Client observer = open();
  for (const Sort& each : sorts()) {
    SCOPED_TRACE(each.what);
    if (!client.traits(each.kind).supported) continue;
    const engine::Address address{each.kind, name(each.what)};
    const auto before = WallClock::now();
    ClaimLock lock(client, address, each.claim);
    ASSERT_TRUE(lock.begin());
    const Between grant{before};

    ASSERT_NO_FATAL_FAILURE(renew(client, lock));
    const auto seen = survey(observer, address);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_TRUE(grant.has(seen[0].since));
    EXPECT_EQ(seen[0].permits, each.claim.permits);
    if (!each.claim.payload.empty()) {
      EXPECT_EQ(seen[0].payload, each.claim.payload);
    }

    ASSERT_NO_FATAL_FAILURE(renew(client, lock));
    const auto again = survey(observer, address);
    ASSERT_EQ(again.size(), 1u);
    if (GetParam().engine->name != "quorum") {
      EXPECT_EQ(again[0].since, seen[0].since);
      continue;
    }
    // The nodes of a quorum grant a claim one after another, and any of them may
    // answer.
    ASSERT_TRUE(again[0].since);
    EXPECT_LE(std::chrono::abs(*again[0].since - *seen[0].since),
              grant.last - grant.first + std::chrono::milliseconds(1));
  }
}

TEST_P(HoldTimes, AreSeenSoonOfWhatIsKept) {
  const Client client = open();
  const Client observer = open();
  const auto before = WallClock::now();
  const auto hold = Mutex(client, name("a")).acquire().value();
  const Between grant{before};
  const engine::Address address{Kind::mutex, name("a")};
  const auto seen = [&] {
    return inspect(observer, address).value().holders.at(0).since;
  };
  ASSERT_TRUE(eventually([&] { return seen().has_value(); }));
  EXPECT_TRUE(grant.has(seen()));
  EXPECT_TRUE(hold.valid());
}

TEST_P(HoldTimes, AreThoseOfTheLeader) {
  const Client client = open();
  Election observer(open(), name("a"));
  const auto before = WallClock::now();
  Election leader(client, name("a"));
  ASSERT_TRUE(leader.campaign("ann"));
  const Between grant{before};
  const auto seen = [&] { return observer.leader().value().value_or(Leader()); };
  ASSERT_TRUE(eventually([&] { return seen().since.has_value(); }));
  EXPECT_TRUE(grant.has(seen().since));
  EXPECT_EQ(seen().payload, "ann");
  ASSERT_TRUE(leader.proclaim("bob"));
  EXPECT_TRUE(grant.has(seen().since)) << "after another payload";
  EXPECT_EQ(seen().payload, "bob");
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "core/lease_terms.h"

#include <gtest/gtest.h>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

struct Row {
  LeaseOptions options;
  bool leased;
  engine::LeaseTime lease;
  bool renewed;
};

TEST(TermsTest, FollowTheTable) {
  const auto cap = [](Timeout span) { return LeaseOptions{.cap = span}; };
  const Row rows[] = {
      {{}, true, 0s, true},  // the session's lease
      {{.ttl = 10s}, true, 10s, true},
      {cap(1h), true, 0s, true},
      {cap(5s), true, 5s, true},
      {LeaseOptions::fixed(7s), true, 7s, false},
      {LeaseOptions::fixed(0s), true, 30s, false},
      {{}, false, 0s, true},  // no end
      {{.ttl = 10s}, false, 0s, true},
      {cap(5s), false, 5s, false},
      {LeaseOptions::fixed(7s), false, 7s, false},
  };
  for (const Row& row : rows) {
    const auto line = &row - rows;
    EXPECT_TRUE(check_lease("a", row.options, 30s)) << "row " << line;
    const LeaseTerms terms = terms_for(row.options, 30s, row.leased);
    EXPECT_EQ(terms.lease, row.lease) << "row " << line;
    EXPECT_EQ(terms.renewed, row.renewed) << "row " << line;
    EXPECT_EQ(terms.timed(row.leased), row.leased || row.lease != 0s) << "row " << line;
  }
}

TEST(TermsTest, RefuseANegativeTtlAndAZeroCap) {
  for (const LeaseOptions& bad : {LeaseOptions{.ttl = -1ms}, LeaseOptions{.cap = 0s}}) {
    const auto checked = check_lease("a", bad, 30s);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Errc::bad_argument);
    EXPECT_TRUE(checked.error().context.starts_with("the lease of \"a\" "))
        << checked.error().context;
  }
}

TEST(TermsTest, RefuseALeaseThatIsOverAtOnce) {
  EXPECT_EQ(check_lease("a", LeaseOptions::fixed(2ms), 30s).error().code,
            Errc::bad_argument);
  EXPECT_EQ(check_lease("a", {.cap = 2ms}, 30s).error().code, Errc::bad_argument);
  EXPECT_TRUE(check_lease("a", LeaseOptions::fixed(3ms), 30s));
}

TEST(TermsTest, ALeaseWithoutEndIsAVeryLongOne) {
  const auto options = LeaseOptions::fixed(std::chrono::milliseconds::max());
  ASSERT_TRUE(check_lease("a", options, 30s));
  const LeaseTerms terms = terms_for(options, 30s, true);
  EXPECT_FALSE(terms.renewed);
  EXPECT_GT(terms.lease, 24h * 365 * 50);
  EXPECT_NE(terms.lease, engine::kNoLease) << "engines take it for no lease at all";
}

}  // namespace
}  // namespace holdfast::core

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
    const auto terms = terms_for("a", row.options, 30s, row.leased);
    ASSERT_TRUE(terms) << terms.error().message();
    const auto line = &row - rows;
    EXPECT_EQ(terms->lease, row.lease) << "row " << line;
    EXPECT_EQ(terms->renewed, row.renewed) << "row " << line;
    EXPECT_EQ(terms->timed(row.leased), row.leased || row.lease != 0s)
        << "row " << line;
  }
}

TEST(TermsTest, RefuseANegativeTtlAndAZeroCap) {
  for (const LeaseOptions& bad : {LeaseOptions{.ttl = -1ms}, LeaseOptions{.cap = 0s}}) {
    const auto terms = terms_for("a", bad, 30s, true);
    ASSERT_FALSE(terms);
    EXPECT_EQ(terms.error().code, Errc::bad_argument);
    EXPECT_TRUE(terms.error().context.starts_with("the lease of \"a\" "))
        << terms.error().context;
  }
}

TEST(TermsTest, RefuseALeaseThatIsOverAtOnce) {
  for (const bool leased : {true, false}) {
    EXPECT_EQ(terms_for("a", LeaseOptions::fixed(2ms), 30s, leased).error().code,
              Errc::bad_argument);
    EXPECT_TRUE(terms_for("a", LeaseOptions::fixed(3ms), 30s, leased));
  }
}

TEST(TermsTest, ALeaseWithoutEndIsAVeryLongOne) {
  const auto terms =
      terms_for("a", LeaseOptions::fixed(std::chrono::milliseconds::max()), 30s, true);
  ASSERT_TRUE(terms);
  EXPECT_FALSE(terms->renewed);
  EXPECT_GT(terms->lease, 24h * 365 * 50);
  EXPECT_NE(terms->lease, engine::kNoLease) << "engines take it for no lease at all";
}

}  // namespace
}  // namespace holdfast::core

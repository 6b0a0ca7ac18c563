// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/vote.h"

#include <gtest/gtest.h>

#include <chrono>

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;

struct Row {
  Votes votes;  // nodes, yes, no, awaited, silent; the other nodes have failed
  Outcome outcome;
};

template <class Rule>
void check(std::initializer_list<Row> rows, Rule rule) {
  for (const Row& row : rows) {
    const auto& [nodes, yes, no, awaited, silent] = row.votes;
    EXPECT_EQ(rule(row.votes), row.outcome)
        << nodes << " nodes: " << yes << " yes, " << no << " no, " << awaited
        << " awaited, " << silent << " silent";
  }
}

TEST(QuorumVoteTest, TwoMajoritiesMeet) {
  for (std::size_t nodes = 1; nodes < 20; ++nodes) {
    EXPECT_GT(2 * majority_of(nodes), nodes);
    EXPECT_LE(2 * (majority_of(nodes) - 1), nodes);
  }
}

TEST(QuorumVoteTest, AnAttemptIsGrantedByAMajorityAndNothingLess) {
  check(
      {
          {{3, 0, 0, 3, 0}, Outcome::open},
          {{3, 1, 0, 2, 0}, Outcome::open},
          {{3, 2, 0, 1, 0}, Outcome::yes},  // at once
          {{3, 1, 1, 1, 0}, Outcome::open},
          {{3, 0, 2, 1, 0}, Outcome::no},  // at once
          {{3, 1, 2, 0, 0}, Outcome::no},
          {{3, 1, 1, 0, 0}, Outcome::no},  // one failed, two answered
          {{3, 0, 1, 1, 0}, Outcome::open},
          {{3, 1, 0, 0, 0}, Outcome::unknown},  // two failed
          {{3, 0, 0, 1, 0}, Outcome::unknown},  // at once
          {{3, 0, 0, 0, 0}, Outcome::unknown},
          {{5, 3, 0, 0, 0}, Outcome::yes},  // two are dead
          {{5, 2, 1, 0, 0}, Outcome::no},
          {{5, 2, 0, 0, 0}, Outcome::unknown},
          {{5, 2, 2, 1, 0}, Outcome::open},
          {{4, 2, 0, 2, 0}, Outcome::open},
          {{4, 2, 2, 0, 0}, Outcome::no},  // half of the nodes is no majority
          {{4, 0, 2, 2, 0}, Outcome::open},
          {{4, 3, 0, 1, 0}, Outcome::yes},
      },
      of_attempt);
}

TEST(QuorumVoteTest, ASilentNodeIsWaitedForOnlyWhileItIsNeeded) {
  check(
      {
          {{3, 1, 0, 0, 2}, Outcome::open},
          {{3, 1, 1, 0, 1}, Outcome::no},
          {{3, 1, 0, 0, 1},
           Outcome::open},  // otherwise a recovery would not be noticed
          {{5, 2, 1, 0, 2}, Outcome::no},
          {{5, 2, 1, 1, 1}, Outcome::open},
          {{5, 2, 0, 1, 2}, Outcome::open},
      },
      of_attempt);
}

TEST(QuorumVoteTest, AClaimIsLostOnlyWhenNoMajorityCanHaveIt) {
  check(
      {
          {{3, 2, 1, 0, 0}, Outcome::yes},
          {{3, 1, 1, 1, 0}, Outcome::open},
          {{3, 1, 1, 0, 0}, Outcome::unknown},  // the third may have it
          {{3, 1, 2, 0, 0}, Outcome::no},
          {{3, 0, 1, 0, 0}, Outcome::unknown},
          {{3, 0, 0, 0, 0}, Outcome::unknown},
          {{5, 2, 2, 0, 0}, Outcome::unknown},
          {{5, 0, 3, 2, 0}, Outcome::no},
          {{5, 3, 2, 0, 0}, Outcome::yes},
          {{4, 2, 2, 0, 0}, Outcome::no},
          {{4, 2, 1, 0, 0}, Outcome::unknown},
      },
      of_renewal);
}

TEST(QuorumVoteTest, AnEndIsKnownWhenAMajorityHasConfirmedIt) {
  check(
      {
          {{3, 2, 0, 1, 0}, Outcome::yes},
          {{3, 1, 1, 1, 0}, Outcome::open},
          {{3, 1, 1, 0, 0}, Outcome::yes},  // the third may have had it
          {{3, 1, 1, 0, 1}, Outcome::yes},
          {{3, 0, 2, 1, 0}, Outcome::no},
          {{3, 1, 2, 0, 0}, Outcome::no},  // a majority had lost it
          {{3, 1, 0, 0, 0}, Outcome::unknown},
          {{3, 0, 1, 0, 0}, Outcome::unknown},
          {{5, 3, 0, 0, 0}, Outcome::yes},
          {{5, 1, 2, 0, 0}, Outcome::yes},
          {{5, 2, 0, 0, 0}, Outcome::unknown},
      },
      of_drop);
}

TEST(QuorumVoteTest, AnInquiryWaitsForEveryNodeThatCanAnswer) {
  check(
      {
          {{3, 2, 0, 1, 0}, Outcome::open},
          {{3, 2, 0, 0, 1}, Outcome::yes},
          {{3, 3, 0, 0, 0}, Outcome::yes},
          {{3, 1, 0, 0, 1}, Outcome::open},
          {{3, 1, 0, 0, 0}, Outcome::unknown},
      },
      of_inquiry);
}

TEST(QuorumVoteTest, TheLeaseIsWhatAMajorityGave) {
  EXPECT_EQ(agreed_lease({5s, 3s, 9s}, 3), 5s);
  EXPECT_EQ(agreed_lease({5s, 3s}, 3), 3s);
  EXPECT_EQ(agreed_lease({5s, 3s, 9s, 1s, 2s}, 5), 3s);
}

}  // namespace
}  // namespace holdfast::quorum

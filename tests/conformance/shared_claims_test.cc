// SPDX-License-Identifier: Apache-2.0

// Readers hold shared claims together, a writer holds alone.

#include <gtest/gtest.h>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using engine::Mode;

class SharedClaims : public Conformance {
 protected:
  ClaimLock reader() { return {open(), address(), {.mode = Mode::shared}}; }
  ClaimLock writer() { return {open(), address(), {.mode = Mode::exclusive}}; }
  engine::Address address() const { return {engine::Kind::shared_mutex, name("a")}; }
};

HOLDFAST_CONFORMANCE(SharedClaims);

TEST_P(SharedClaims, ReadersAreInTogether) {
  auto first = reader();
  auto second = reader();
  auto third = reader();
  EXPECT_TRUE(first.begin());
  EXPECT_TRUE(second.begin());
  EXPECT_TRUE(third.begin());
  const auto entries = survey(open(), address());
  ASSERT_EQ(entries.size(), 3u);
  for (const auto& entry : entries) {
    EXPECT_TRUE(entry.granted);
    EXPECT_EQ(entry.mode, Mode::shared);
  }
}

TEST_P(SharedClaims, AWriterIsAlone) {
  auto first = writer();
  auto second = writer();
  auto third = reader();
  ASSERT_TRUE(first.begin());
  EXPECT_FALSE(second.acquire({.wait = Timeout::zero()}));
  EXPECT_FALSE(third.acquire({.wait = Timeout::zero()}));
  ASSERT_TRUE(first.release());
  ASSERT_TRUE(third.acquire({.wait = Timeout::zero()}));
  EXPECT_FALSE(first.acquire({.wait = Timeout::zero()}));
}

TEST_P(SharedClaims, AWriterWaitsForTheLastReader) {
  auto first = reader();
  auto second = reader();
  auto third = writer();
  ASSERT_TRUE(first.begin());
  ASSERT_TRUE(second.begin());
  ASSERT_FALSE(third.begin());
  ASSERT_TRUE(first.release());
  EXPECT_FALSE(third.again());
  ASSERT_TRUE(second.release());
  EXPECT_TRUE(third.again());
}

TEST_P(SharedClaims, AWriterIsNotStarved) {
  auto first = reader();
  auto second = writer();
  auto late = reader();
  auto later = reader();
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  EXPECT_FALSE(late.begin());
  EXPECT_FALSE(later.acquire({.wait = Timeout::zero()}));
  ASSERT_TRUE(first.release());
  EXPECT_FALSE(late.again());
  EXPECT_TRUE(second.again());
  ASSERT_TRUE(second.release());
  EXPECT_TRUE(late.again());
}

TEST_P(SharedClaims, ReadersBehindAWriterThatGivesUpGetIn) {
  auto first = reader();
  auto second = writer();
  auto third = reader();
  auto fourth = reader();
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  ASSERT_FALSE(fourth.begin());
  ASSERT_TRUE(second.release());
  EXPECT_TRUE(third.again());
  EXPECT_TRUE(fourth.again());
}

TEST_P(SharedClaims, AnEvictedReaderLetsTheWriterIn) {
  auto first = reader();
  auto second = writer();
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  const auto entries = survey(open(), address());
  ASSERT_FALSE(entries.empty());
  ASSERT_TRUE(second.resource().evict(entries.front().owner, soon()));
  EXPECT_TRUE(second.again());
  const auto released = first.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
}

// Where the layout has no room for it, the claim stays exclusive.
TEST_P(SharedClaims, ADowngradeLetsReadersInAndKeepsWritersOut) {
  const bool lets_in = open().traits(engine::Kind::shared_mutex).downgrades;
  auto first = writer();
  auto second = reader();
  auto third = writer();
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  engine::Claim wanted = first.claim();
  wanted.mode = Mode::shared;
  ASSERT_TRUE(first.resource().amend(first.claim(), wanted, soon()));
  EXPECT_EQ(second.again(), lets_in);
  EXPECT_FALSE(third.again());
  if (lets_in) {
    ASSERT_TRUE(second.release());
    EXPECT_FALSE(third.again());
  }
  ASSERT_TRUE(first.resource().drop(wanted, soon()));
  if (!lets_in) {
    EXPECT_TRUE(second.again());
    ASSERT_TRUE(second.release());
  }
  EXPECT_TRUE(third.again());
}

}  // namespace
}  // namespace holdfast::test

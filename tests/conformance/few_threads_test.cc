// SPDX-License-Identifier: Apache-2.0

// The system gives no thread to a client that is open.

#include <gtest/gtest.h>

#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/latch.h"
#include "holdfast/mutex.h"
#include "support/no_threads.h"

namespace holdfast::test {
namespace {

using engine::Kind;
using namespace std::chrono_literals;

class FewThreads : public Conformance {
 protected:
  // An engine that needs a thread to wait says so; any other waits.
  static void expect_in_vain(const Failure& why) {
    if (why.code == Errc::timed_out) return;
    EXPECT_EQ(why.code, Errc::full);
    EXPECT_TRUE(why.message().starts_with("the system has no thread")) << why.message();
  }

  const WaitOptions short_{.wait = scaled(100ms)};
};
HOLDFAST_CONFORMANCE(FewThreads);

TEST_P(FewThreads, EveryClaimIsRenewed) {
  const Client client = open();
  ClaimLock one(client, {Kind::mutex, name("a")});
  ClaimLock other(client, {Kind::mutex, name("b")});
  ASSERT_TRUE(one.begin());
  ASSERT_TRUE(other.begin());
  for (int round = 0; round < 2; ++round) {
    const NoThreads none;
    std::vector<engine::ClaimRef> refs{{&one.resource(), &one.claim()},
                                       {&other.resource(), &other.claim()}};
    for (engine::ClaimRef& each : refs) each.outcome = Errc::internal;
    const auto renewed = client.session().renew(refs, soon());
    ASSERT_TRUE(renewed) << renewed.error().message();
    for (const engine::ClaimRef& each : refs) {
      EXPECT_FALSE(each.outcome) << each.outcome.message();
    }
  }
}

TEST_P(FewThreads, AWaitForALockReturnsAResult) {
  Mutex mutex(open(), name("a"));
  Mutex holder(open(), name("a"));
  auto hold = holder.acquire().value();
  {
    const NoThreads none;
    const auto acquired = mutex.acquire(short_);
    ASSERT_FALSE(acquired);
    expect_in_vain(acquired.error());
  }
  ASSERT_TRUE(hold.release());
  EXPECT_TRUE(mutex.acquire({.wait = patience()}));
}

TEST_P(FewThreads, AWaitForALatchReturnsAResult) {
  const Client client = open();
  if (!client.session().traits(Kind::latch).supported) return;
  Latch latch(client, name("a"));
  ASSERT_TRUE(latch.set_count(1).value());
  {
    const NoThreads none;
    const auto waited = latch.wait(short_);
    ASSERT_FALSE(waited);
    expect_in_vain(waited.error());
  }
  ASSERT_TRUE(latch.count_down());
  EXPECT_TRUE(latch.wait({.wait = patience()}));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A hold ends before its holder wants it to, and the holder learns of it.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <stop_token>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Loss : public Conformance {
 protected:
  // Evicts as an operator would.
  void evict_holder(const std::string& of) {
    const Client operator_client = open();
    const engine::Address address{engine::Kind::mutex, of};
    const auto entries = survey(operator_client, address);
    ASSERT_EQ(entries.size(), 1u);
    const auto resource = operator_client.session().bind(address).value();
    ASSERT_TRUE(resource->evict(entries.front().owner, soon()));
  }
};

HOLDFAST_CONFORMANCE(Loss);

TEST_P(Loss, AnEvictedHolderIsTold) {
  Mutex mutex(open(scaled(2s)), name("a"));
  auto hold = mutex.acquire().value();
  std::atomic<bool> told{false};
  const std::stop_callback on_loss(hold.lost(), [&] { told = true; });
  EXPECT_TRUE(hold.valid());
  evict_holder(name("a"));
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  EXPECT_TRUE(hold.lost().stop_requested());
  EXPECT_FALSE(hold.valid());
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
}

TEST_P(Loss, AnEvictedHolderThatDidNotLookLearnsItFromRelease) {
  Mutex mutex(open(), name("a"));
  auto hold = mutex.acquire().value();
  evict_holder(name("a"));
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_TRUE(hold.release()) << "later calls do nothing";
}

TEST_P(Loss, UnlockIsSilentAndHarmsNoOtherClaim) {
  Mutex mutex(open(), name("a"));
  Mutex other(open(), name("a"));
  mutex.lock();
  evict_holder(name("a"));
  ASSERT_TRUE(other.try_lock());
  mutex.unlock();
  EXPECT_FALSE(mutex.try_lock()) << "it released what belongs to another";
  other.unlock();
  EXPECT_TRUE(mutex.try_lock_for(patience()));
  mutex.unlock();
}

TEST_P(Loss, AFixedLeaseEndsByItself) {
  const auto lease = scaled(500ms);
  Mutex mutex(open(), name("a"), LeaseOptions::fixed(lease));
  Mutex other(open(), name("a"));
  const auto start = Clock::now();
  auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> told{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { told = Clock::now(); });
  EXPECT_TRUE(hold.valid());
  EXPECT_LE(hold.valid_for(), lease);
  EXPECT_FALSE(other.try_lock());

  auto next = other.acquire({.wait = patience()});
  const auto entered = Clock::now();
  EXPECT_FALSE(hold.valid()) << "two hold it";
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GE(entered - start, lease) << "cut short";
  EXPECT_GT(next->token(), hold.token());
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_TRUE(eventually([&] { return told.load() != Clock::time_point::max(); }));
  EXPECT_LE(told.load(), entered + scaled(100ms)) << "told too late";
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_TRUE(next->valid());
  EXPECT_TRUE(next->release());
}

TEST_P(Loss, AFixedLeaseThatEndedIsSeenWithoutAnotherClient) {
  Mutex mutex(open(), name("a"), LeaseOptions::fixed(scaled(100ms)));
  auto hold = mutex.acquire().value();
  EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
  EXPECT_EQ(hold.valid_for(), 0ns);
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
}

TEST_P(Loss, AStaleUnlockDoesNotEndTheNextHold) {
  Mutex mutex(open(), name("a"), LeaseOptions::fixed(scaled(400ms)));
  Mutex other(open(), name("a"));
  mutex.lock();
  const std::stop_token first = mutex.lost();
  ASSERT_TRUE(eventually([&] { return first.stop_requested(); }));
  ASSERT_TRUE(mutex.try_lock_for(patience())) << "by another thread, say";
  mutex.unlock();
  EXPECT_FALSE(other.try_lock()) << "the unlock of the first ended the second";
  mutex.unlock();
  EXPECT_TRUE(other.try_lock_for(patience()));
  other.unlock();
}

TEST_P(Loss, AFixedLeaseCanBeReleasedInTime) {
  Mutex mutex(open(), name("a"), LeaseOptions::fixed(scaled(10s)));
  Mutex other(open(), name("a"));
  auto hold = mutex.acquire().value();
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

TEST_P(Loss, ARenewedLeaseOutlivesItsTtl) {
  const auto ttl = scaled(800ms);
  Mutex mutex(open(ttl), name("a"));
  Mutex other(open(), name("a"));
  auto hold = mutex.acquire().value();
  EXPECT_TRUE(throughout(3 * ttl, [&] { return hold.valid(); }));
  EXPECT_FALSE(hold.lost().stop_requested());
  EXPECT_FALSE(other.try_lock());
  EXPECT_TRUE(hold.release());
}

TEST_P(Loss, AWaitForAnotherEndsNothing) {
  const auto ttl = scaled(1s);
  const Client client = open(ttl);
  Mutex other(open(), name("b"));
  other.lock();
  Mutex mutex(client, name("a"));
  const auto hold = mutex.acquire().value();
  auto entered = std::async(std::launch::async, [&] {
    return Mutex(client, name("b")).acquire({.wait = patience()}).has_value();
  });
  EXPECT_TRUE(throughout(3 * ttl, [&] { return hold.valid(); }));
  other.unlock();
  EXPECT_TRUE(entered.get());
}

TEST_P(Loss, ACapEndsARenewedLease) {
  const auto cap = scaled(400ms);
  Mutex mutex(open(), name("a"), {.ttl = scaled(200ms), .cap = cap});
  Mutex other(open(), name("a"));
  const auto start = Clock::now();
  auto hold = mutex.acquire().value();
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_GE(Clock::now() - start, cap / 2);
  EXPECT_FALSE(hold.valid());
  auto next = other.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

TEST_P(Loss, ReleaseEndsWhatWasGuarded) {
  Mutex mutex(open(), name("a"));
  auto hold = mutex.acquire().value();
  const std::stop_token lost = hold.lost();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(hold.valid());
}

TEST_P(Loss, AMovedHoldIsTheSameHold) {
  Mutex mutex(open(), name("a"));
  Mutex other(open(), name("a"));
  std::optional<Hold> first(mutex.acquire().value());
  const FencingToken token = first->token();
  std::optional<Hold> second(std::move(*first));
  first.reset();
  EXPECT_FALSE(other.try_lock());
  EXPECT_EQ(second->token(), token);
  second.reset();
  EXPECT_TRUE(other.try_lock_for(patience()));
  other.unlock();
}

}  // namespace
}  // namespace holdfast::test

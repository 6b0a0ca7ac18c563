// SPDX-License-Identifier: Apache-2.0

// Requests that arrive after their caller gave them up.

#include <gtest/gtest.h>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using EtcdLateArrivals = OnEtcd;

// Before the first attempt arrives, the waiter has tried again and an operator has
// deleted its key.
TEST_F(EtcdLateArrivals, AnAttemptOfAWaiterThatHadToQueueAgain) {
  const engine::Address at{engine::Kind::mutex, "a"};
  const Client client = open();
  const auto ours = client.session().bind(at).value();
  const engine::Claim before{
      .ticket = next_ticket()};  // so that the lease and the streams exist
  ASSERT_TRUE(ours->attempt(before, nullptr, soon()));
  ASSERT_TRUE(ours->drop(before, soon()));
  Mutex holder(open_directly(), "a");
  holder.lock();
  const engine::Waker waker = client.session().signal();
  const engine::Claim waiter{.ticket = next_ticket()};
  line_.freeze_at_call();
  ASSERT_FALSE(ours->attempt(waiter, waker, Clock::now() + scaled(300ms)));
  ASSERT_TRUE(eventually([&] {
    return ours->attempt(waiter, waker, Clock::now() + scaled(500ms)).has_value();
  }));
  ASSERT_TRUE(has_keys("a", 2));
  ASSERT_TRUE(shell_.remove(keys("a").back().key));
  ASSERT_TRUE(ours->attempt(waiter, waker, soon()));
  ASSERT_TRUE(has_keys("a", 2));
  ASSERT_TRUE(ours->drop(waiter, soon()));
  line_.thaw();
  EXPECT_TRUE(throughout(scaled(500ms), [&] { return keys("a").size() == 1; }))
      << "no client knows of that key";
}

// When the eviction arrives, the claim that the operator saw has ended, and the same
// client has locked again with the same key.
TEST_F(EtcdLateArrivals, AnEvictionOfAClaimThatIsGone) {
  const engine::Address at{engine::Kind::mutex, "a"};
  const Client client = open();
  const auto theirs = client.session().bind(at).value();
  Mutex mutex(open_directly(), "a");
  mutex.lock();
  const std::string owner = theirs->survey(1, soon()).value().at(0).owner;
  line_.freeze_at_call(1);
  ASSERT_FALSE(theirs->evict(owner, Clock::now() + scaled(300ms)));
  mutex.unlock();
  mutex.lock();
  line_.thaw();
  EXPECT_TRUE(throughout(scaled(500ms), [&] { return keys("a").size() == 1; }))
      << "another claim was evicted";
  mutex.unlock();
}

}  // namespace
}  // namespace holdfast::test

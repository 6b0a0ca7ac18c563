// SPDX-License-Identifier: Apache-2.0

// Waiters of a semaphore whose queue changes.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/zookeeper/ground.h"
#include "holdfast/engine/session.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Semaphores : public OnZookeeper {
 protected:
  Semaphores() {
    shell_.create(root_);
    for (const char* each : {"a", "a/locks", "a/leases"}) shell_.create(path(each));
  }
};

// A write of the capacity wakes every waiter. So waiters look at the queue while the
// ones ahead of them give up, and learn in the middle of a look that they are first.
TEST_F(Semaphores, WaitersThatBecomeTheFirstWhileTheyLookTakeNothing) {
  constexpr int kWaiters = 6;
  Semaphore holder(open_directly(), "a", 1);
  auto held = holder.acquire().value();
  std::atomic<int> waits{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kWaiters; ++i) {
    threads.emplace_back([&](const std::stop_token& stop) {
      Semaphore semaphore(open_directly(), "a", 1);
      for (; !stop.stop_requested(); ++waits) {
        const auto permit = semaphore.acquire({.wait = scaled(20ms)});
        ASSERT_FALSE(permit) << "the only permit is taken";
        ASSERT_EQ(permit.error().code, Errc::timed_out) << permit.error().message();
      }
    });
  }
  const std::string capacity = shell_.get(path("a/permits"));
  const auto end = Clock::now() + scaled(2s);
  while (Clock::now() < end) shell_.set(path("a/permits"), capacity);
  threads.clear();
  EXPECT_GT(waits, kWaiters);
  EXPECT_TRUE(held.release());
}

// Nothing else would wake the first waiter for some seconds.
TEST_F(Semaphores, AFirstWaiterThatIsEvictedQueuesAgainAtOnce) {
  Semaphore holder(open_directly(), "a", 1);
  auto held = holder.acquire().value();
  const Client client = open();
  const int before = line_.passed()["exists"];
  auto entered = std::async(std::launch::async, [&] {
    return Semaphore(client, "a", 1).acquire({.wait = patience()});
  });
  ASSERT_TRUE(has_nodes("a/locks", 1));
  ASSERT_TRUE(eventually([&] { return line_.passed()["exists"] > before; }))
      << "it has not begun to wait";
  const std::string first = nodes("a/locks").front();
  const auto resource = client.session().bind({engine::Kind::semaphore, "a"}).value();
  const auto start = Clock::now();
  ASSERT_TRUE(resource->evict(first, Clock::now() + patience()));
  EXPECT_TRUE(has("a/locks", [&](const auto& all) {
    return all.size() == 1 && all.front() != first;
  }));
  EXPECT_LT(Clock::now() - start, scaled(2s));
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(entered.get());
}

// The answer to its grant is lost, and another client deletes one of its leases before
// it is asked for again.
TEST_F(Semaphores, AClaimOfWhichOneLeaseIsLeftOutIsGrantedAnew) {
  const Client client = open();
  const auto semaphore = client.session().bind({engine::Kind::semaphore, "a"}).value();
  const engine::Claim one{.ticket = next_ticket(), .capacity = 4};
  const engine::Claim three{.ticket = next_ticket(), .permits = 3, .capacity = 4};
  ASSERT_TRUE(semaphore->attempt(one, nullptr, soon()));
  const auto others = nodes("a/leases");
  line_.lose_replies(1, 4);  // the transaction follows on what is read
  ASSERT_FALSE(semaphore->attempt(three, nullptr, soon()));
  ASSERT_TRUE(has_nodes("a/leases", 4)) << "it was applied";
  for (const std::string& each : nodes("a/leases")) {
    if (each == others.front()) continue;
    shell_.remove(path("a/leases/" + each));
    break;
  }
  const auto granted = semaphore->attempt(three, nullptr, soon());
  ASSERT_TRUE(granted) << granted.error().message();
  EXPECT_TRUE(std::holds_alternative<engine::Granted>(*granted));
  EXPECT_TRUE(has_nodes("a/leases", 4));
  engine::Claim two = three;
  two.permits = 2;
  EXPECT_TRUE(semaphore->amend(three, two, soon()));
  EXPECT_TRUE(has_nodes("a/leases", 3));
  EXPECT_TRUE(semaphore->drop(two, soon()));
  EXPECT_TRUE(has_nodes("a/leases", 1));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Waiters of a semaphore whose queue changes.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

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

}  // namespace
}  // namespace holdfast::test

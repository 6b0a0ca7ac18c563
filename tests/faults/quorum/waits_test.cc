// SPDX-License-Identifier: Apache-2.0

// Waiters of a quorum. They are in no queue, so the conformance cases cannot see them;
// here they are known by the subscriptions that they have at the nodes.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <future>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include "conformance/claim_lock.h"
#include "faults/quorum/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Mode;

// A waiter that is not woken would try again after four seconds or more.
std::chrono::milliseconds rung_within() { return scaled(2s); }

class QuorumWaits : public Five {
 protected:
  std::future<std::error_code> wait_for(const Client& client, WaitOptions options) {
    return std::async(std::launch::async, [=] {
      const auto got = Mutex(client, "a").acquire(options);
      return got ? std::error_code{} : got.error().code;
    });
  }
};

TEST_F(QuorumWaits, AReleaseWakesAWaiter) {
  Mutex holder(open(), "a");
  holder.lock();
  auto entered = wait_for(open(), {.wait = patience()});
  ASSERT_TRUE(has_waiter("a"));
  EXPECT_EQ(entered.wait_for(scaled(50ms)), std::future_status::timeout);
  const auto start = Clock::now();
  holder.unlock();
  EXPECT_FALSE(entered.get());
  EXPECT_LT(Clock::now() - start, rung_within());
}

TEST_F(QuorumWaits, AReleaseWakesAWaiterWithTwoNodesDead) {
  Mutex holder(open(), "a");
  const Client other = open();
  holder.lock();
  servers_[3].kill();
  servers_[4].kill();
  auto entered = wait_for(other, {.wait = patience()});
  ASSERT_TRUE(has_waiter("a"));
  const auto start = Clock::now();
  holder.unlock();
  EXPECT_FALSE(entered.get());
  EXPECT_LT(Clock::now() - start, rung_within());
}

TEST_F(QuorumWaits, AStopEndsOne) {
  Mutex holder(open(), "a");
  std::stop_source stop;
  holder.lock();
  auto refused = wait_for(open(), {.stop = stop.get_token()});
  ASSERT_TRUE(has_waiter("a"));
  stop.request_stop();
  EXPECT_EQ(refused.get(), Errc::cancelled);
  holder.unlock();
  for (std::size_t i = 0; i < kNodes; ++i) EXPECT_TRUE(is_clean(i));
}

TEST_F(QuorumWaits, CloseEndsOne) {
  Mutex holder(open(), "a");
  Client client = open();
  holder.lock();
  auto refused = wait_for(client, {.wait = patience()});
  ASSERT_TRUE(has_waiter("a"));
  client.close();
  EXPECT_EQ(refused.get(), Errc::closed);
}

TEST_F(QuorumWaits, AnOutageLosesNone) {
  std::deque<FaultProxy> lines;
  std::string through = "quorum:";
  for (const RedisServer& each : servers_) {
    if (!lines.empty()) through += ',';
    through += lines.emplace_back(each.port()).url();
  }
  Mutex holder(open(), "a");
  holder.lock();
  auto entered = wait_for(open_quietly(through), {.wait = 2 * patience()});
  ASSERT_TRUE(has_waiter("a"));
  for (FaultProxy& each : lines) each.unreachable(true);
  EXPECT_NE(entered.wait_for(scaled(100ms)), std::future_status::ready);
  for (FaultProxy& each : lines) each.unreachable(false);
  holder.unlock();
  EXPECT_FALSE(entered.get());
}

TEST_F(QuorumWaits, AKilledHolderLetsOneIn) {
  const auto ttl = scaled(1s);
  Victim holder(url(), ttl);
  ASSERT_EQ(holder.ask("lock a"), "ok");
  auto entered = wait_for(open(), {.wait = patience()});
  ASSERT_TRUE(has_waiter("a"));
  holder.kill();
  const auto start = Clock::now();
  EXPECT_FALSE(entered.get());
  EXPECT_LT(Clock::now() - start, 2 * ttl);
}

TEST_F(QuorumWaits, AKilledWaiterHoldsUpNoOtherWaiter) {
  Mutex holder(open(), "a");
  Victim first(url());
  holder.lock();
  first.tell("lock a");
  ASSERT_TRUE(has_waiter("a"));
  auto entered = wait_for(open(), {.wait = patience()});
  ASSERT_TRUE(eventually([&] { return subscribers(0, "a") == 2; }));
  first.kill();
  const auto start = Clock::now();
  holder.unlock();
  EXPECT_FALSE(entered.get());
  EXPECT_LT(Clock::now() - start, rung_within());
}

TEST_F(QuorumWaits, ADowngradeLetsReadersInAndKeepsWritersOut) {
  const engine::Address address{engine::Kind::shared_mutex, "a"};
  ClaimLock writer(open(), address);
  ClaimLock reader(open(), address, {.mode = Mode::shared});
  ClaimLock other(open(), address);
  ASSERT_TRUE(writer.begin());
  ASSERT_FALSE(reader.begin());
  auto entered = std::async(std::launch::async, [&] {
    return reader.acquire({.wait = patience()}).has_value();
  });
  engine::Claim wanted = writer.claim();
  wanted.mode = Mode::shared;
  const auto start = Clock::now();
  ASSERT_TRUE(writer.resource().amend(writer.claim(), wanted, soon()));
  EXPECT_TRUE(entered.get());
  EXPECT_LT(Clock::now() - start, rung_within());
  EXPECT_FALSE(other.acquire({.wait = Timeout::zero()}));
}

// A try enters the queue of a segment and leaves it again. That must not look like a
// release to the waiter itself: it would try again at once, and for ever.
TEST(QuorumOfSegments, AWaiterIsNotWokenByItsOwnTries) {
  const TempDir folder;
  const std::string part = "local://" + folder.file("part");
  const std::string url = "quorum:" + part + "1," + part + "2," + part + "3";
  const Client holders = open_quietly(url, scaled(30s));
  const Client waiters = open_quietly(url, scaled(30s));
  for (const auto kind : {engine::Kind::mutex, engine::Kind::shared_mutex}) {
    const engine::Address address{kind, "a"};
    ClaimLock holder(holders, address);
    ASSERT_TRUE(holder.begin());
    const auto wanted = waiters.session().bind(address).value();
    const engine::Claim claim{.ticket = next_ticket()};
    const auto signal = waiters.session().signal();
    int tries = 0;
    const auto try_once = [&] {
      ++tries;
      return wanted->attempt(claim, signal, soon()).value();
    };
    for (const auto end = Clock::now() + 1s; Clock::now() < end;) {
      const auto verdict = try_once();
      ASSERT_TRUE(std::holds_alternative<engine::Blocked>(verdict));
      const auto pause = std::get<engine::Blocked>(verdict).retry_after;
      signal->wait(std::min(end, Clock::now() + pause));
    }
    EXPECT_LE(tries, 30)
        << "a waiter tries when a lease may be over, or after a split vote";

    const auto released = Clock::now();
    ASSERT_TRUE(holder.release());
    signal->wait(released + patience());
    EXPECT_LT(Clock::now() - released, rung_within());
    EXPECT_TRUE(eventually(
        [&] { return std::holds_alternative<engine::Granted>(try_once()); }));
    ASSERT_TRUE(wanted->drop(claim, soon()));
  }
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A server that dies or is suspended while clients hold locks and wait.

#include <gtest/gtest.h>

#include <functional>

#include "faults/etcd/ground.h"
#include "faults/outages.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdRestart : public OnEtcd {
 protected:
  const Ms ttl_ = scaled(2s);
  const std::function<Client()> open_ = [this] { return open_directly(ttl_); };
  const Outage standstill_{open_, ttl_, [this] { server_.pause(); },
                           [this] { server_.resume(); }};
};

TEST_F(EtcdRestart, KeepsTheWaiterAndItsPlace) {
  Mutex holder(open_(), "a");
  Mutex waiter(open_(), "a");
  auto hold = holder.acquire().value();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  const auto place = keys("a").at(1).created;
  server_.kill();
  server_.start();
  EXPECT_TRUE(still_waits(entered));
  EXPECT_EQ(keys("a").at(1).created, place);
  (void)hold.release();
  const Entered in = entered.get();
  EXPECT_EQ(in.token.value, static_cast<std::uint64_t>(place)) << in.why_not;
}

using EtcdStandstill = EtcdRestart;

TEST_F(EtcdStandstill, ALongOneLosesTheHoldInTime) {
  a_long_outage_loses_the_hold_in_time(standstill_);
}
TEST_F(EtcdStandstill, AShortOneLosesNothing) {
  a_hold_outlives_a_short_outage(standstill_);
}
TEST_F(EtcdStandstill, ACallEndsWhenItsTimeIsOver) {
  a_call_ends_in_an_outage(standstill_);
}

// strace delays what the server writes to its disk.
class EtcdSlowDisk : public OnEtcd {
 protected:
  EtcdSlowDisk() : OnEtcd({"--unsafe-no-fsync=false"}) {}
};

TEST_F(EtcdSlowDisk, LosesNothing) {
  const auto ttl = scaled(2s);
  const Client client = open_directly(ttl);
  Process slow({"setpriv", "--pdeathsig", "KILL", "strace", "-f", "-qq", "-o",
                "/dev/null", "-p", std::to_string(server_.pid()), "-e",
                "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=300000"});
  if (slow.wait(scaled(500ms))) GTEST_SKIP() << "strace cannot attach here";
  Mutex mutex(client, "a");
  const auto start = Clock::now();
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_GE(Clock::now() - start, 300ms) << "the disk was not slow";
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); }));
  const auto released = hold->release();
  EXPECT_TRUE(released) << released.error().message();
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// An engine's promises about itself are true.

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <set>
#include <string>
#include <variant>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::LeaseTime;
using namespace std::chrono_literals;

class Promises : public Conformance {};
HOLDFAST_CONFORMANCE(Promises);

TEST_P(Promises, EveryKindIsThere) {
  const Client client = open();
  for (const Kind kind :
       {Kind::mutex, Kind::fair_mutex, Kind::shared_mutex, Kind::semaphore,
        Kind::election, Kind::double_barrier, Kind::latch, Kind::barrier, Kind::counter,
        Kind::shared_count}) {
    EXPECT_TRUE(client.traits(kind).supported) << static_cast<int>(kind);
  }
}

TEST_P(Promises, TokensFence) {
  const Client client = open();
  for (const Kind kind :
       {Kind::mutex, Kind::fair_mutex, Kind::shared_mutex, Kind::election}) {
    const auto traits = client.traits(kind);
    EXPECT_EQ(traits.fences, traits.supported) << static_cast<int>(kind);
  }
  EXPECT_TRUE(Mutex(client, name("a")).acquire().value().token());
}

// As docs/primitives.md says, holders that are in at the same time cannot be fenced
// against each other, and a kind without a holder has no token.
TEST_P(Promises, NothingElseFences) {
  const Client client = open();
  for (const Kind kind : {Kind::semaphore, Kind::double_barrier, Kind::latch,
                          Kind::barrier, Kind::counter, Kind::shared_count}) {
    EXPECT_FALSE(client.traits(kind).fences) << static_cast<int>(kind);
  }
}

TEST_P(Promises, AGrantEndsByTimeOrDoesNot) {
  const Client client = open();
  const auto hold = Mutex(client, name("a")).acquire().value();
  if (client.traits(Kind::mutex).leased) {
    EXPECT_LE(hold.valid_for(), scaled(std::chrono::seconds(30)));
  } else {
    EXPECT_EQ(hold.valid_for(), std::chrono::nanoseconds::max());
  }
}

TEST_P(Promises, AGrantSaysHowLongItLasts) {
  const Client client = open();
  const engine::Traits traits = client.traits(Kind::mutex);
  const auto mutex = client.session().bind({Kind::mutex, name("a")}).value();
  const LeaseTime ttl = scaled(30s);
  const LeaseTime shorter = scaled(10s);
  for (const LeaseTime asked : {LeaseTime::zero(), shorter}) {
    const Claim claim{.ticket = next_ticket(), .lease = asked};
    const auto verdict = mutex->attempt(claim, nullptr, soon()).value();
    const LeaseTime lease = std::get<Granted>(verdict).lease;
    if (traits.leased) {
      const bool is_own = asked != LeaseTime::zero() && !traits.session_bound;
      EXPECT_GT(lease, LeaseTime::zero());
      EXPECT_LE(lease, is_own ? shorter : ttl);
    } else if (asked == LeaseTime::zero()) {
      EXPECT_EQ(lease, engine::kNoLease);
    }
    EXPECT_TRUE(mutex->drop(claim, soon()));
  }
}

// One of two claims of a session is renewed.
TEST_P(Promises, AClaimThatIsNotRenewedEndsByItselfOrWithItsSession) {
  const Client client = open();
  const engine::Traits traits = client.traits(Kind::mutex);
  if (!traits.leased) return;
  const auto kept = client.session().bind({Kind::mutex, name("kept")}).value();
  const auto left = client.session().bind({Kind::mutex, name("left")}).value();
  const auto lease = scaled(1s);
  const Claim renewed{.ticket = next_ticket(), .lease = lease};
  const Claim forgotten{.ticket = next_ticket(), .lease = lease};
  const auto start = Clock::now();
  for (const auto& [mutex, claim] : {std::pair(kept, renewed), {left, forgotten}}) {
    const auto verdict = mutex->attempt(claim, nullptr, soon()).value();
    ASSERT_TRUE(std::holds_alternative<Granted>(verdict));
  }

  ClaimLock other(open(), {Kind::mutex, name("left")});
  const auto ends = [&] {
    engine::ClaimRef refs[] = {{kept.get(), &renewed}};
    EXPECT_TRUE(client.session().renew(refs, soon()));
    EXPECT_FALSE(refs[0].outcome) << refs[0].outcome.message();
    return other.acquire(kNow).has_value();
  };
  if (traits.session_bound) {
    EXPECT_TRUE(throughout(2 * lease, [&] { return !ends(); }));
    EXPECT_TRUE(left->drop(forgotten, soon()));
    EXPECT_TRUE(other.acquire(kNow));
  } else {
    EXPECT_TRUE(eventually(ends));
    EXPECT_GE(Clock::now() - start, lease);
  }
  EXPECT_TRUE(kept->drop(renewed, soon())) << "it was renewed";
}

// If they queued in the process, the second one would wait for the first.
TEST_P(Promises, OnlyExclusiveKindsQueueInTheProcess) {
  const Client client = open();
  const auto elsewhere = [](auto acquire) {
    return std::async(std::launch::async, acquire).get();
  };
  const auto reader = SharedMutex(client, name("a")).acquire_shared(kNow);
  EXPECT_TRUE(reader);
  EXPECT_TRUE(elsewhere(
      [&] { return SharedMutex(client, name("a")).acquire_shared(kNow).has_value(); }));
  if (!client.traits(Kind::semaphore).supported) return;
  const auto permit = Semaphore(client, name("b"), 2).acquire(kNow);
  EXPECT_TRUE(permit);
  EXPECT_TRUE(elsewhere(
      [&] { return Semaphore(client, name("b"), 2).acquire(kNow).has_value(); }));
}

// A claim that waits has an entry of its own, also beside another claim of its session.
// Where it cannot have one, because both would be one claim at the server, the
// resources are one object.
TEST_P(Promises, TwoResourcesDoNotMakeOneClaim) {
  const Client client = open();
  const Client rival = open();
  const engine::Waker signal = client.session().signal();
  const std::vector<Kind> kinds{Kind::mutex, Kind::fair_mutex, Kind::shared_mutex,
                                Kind::election};
  for (const Kind first : kinds) {
    for (const Kind second : kinds) {
      if (first == second) continue;
      if (!client.traits(first).supported) continue;
      if (!client.traits(second).supported) continue;
      const std::string at = name(std::to_string(static_cast<int>(first)) + "-" +
                                  std::to_string(static_cast<int>(second)));
      SCOPED_TRACE(at);
      const auto one = client.session().bind({first, at}).value();
      const auto other = client.session().bind({second, at}).value();
      const auto foreign = rival.session().bind({second, at}).value();
      const bool is_shared =
          first == Kind::shared_mutex || second == Kind::shared_mutex;
      if (GetParam().engine->name == "etcd" && !is_shared) {
        EXPECT_EQ(one, other) << "a key of etcd is that of a lease and a name";
      }
      // Returns how many entries there are while another claim is attempted.
      const auto entries = [&](engine::Resource& resource) {
        const Claim added{.ticket = next_ticket()};
        (void)resource.attempt(added, signal, soon());
        const auto seen = survey(client, {first, at}).size();
        (void)resource.drop(added, soon());
        return seen;
      };
      const Claim held{.ticket = next_ticket()};
      ASSERT_TRUE(
          std::holds_alternative<Granted>(one->attempt(held, nullptr, soon()).value()));
      if (one != other) {
        EXPECT_EQ(entries(*other), entries(*foreign));
      }
      EXPECT_EQ(survey(client, {first, at}).size(), 1u);
      EXPECT_TRUE(one->drop(held, soon()));
    }
  }
}

TEST_P(Promises, ServersAreDescribedOnce) {
  const Client client = open();
  std::set<std::string> seen;
  for (const auto& each : client.session().servers()) {
    EXPECT_NE(each.server, "");
    EXPECT_TRUE(seen.insert(each.server).second) << each.server;
    for (const auto& [property, value] : each.properties) {
      EXPECT_NE(property, "") << each.server;
      EXPECT_NE(value, "") << each.server << ": " << property;
    }
  }
}

TEST_P(Promises, ASignalOutlivesItsSession) {
  engine::Waker signal;
  {
    const Client client = open();
    signal = client.session().signal();
  }
  signal->ring();
  const auto limit = Clock::now() + scaled(std::chrono::seconds(10));
  signal->wait(limit);
  EXPECT_LT(Clock::now(), limit) << "the ring was not heard";
}

TEST_P(Promises, ASweepLeavesWhatIsInUse) {
  const Client client = open();
  const auto hold = Mutex(client, name("a")).acquire().value();
  ASSERT_TRUE(client.session().sweep(std::chrono::years(1), soon()));
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock());
  EXPECT_TRUE(hold.valid());
}

// An engine that leaves nothing behind has nothing to remove.
TEST_P(Promises, ASweepSaysHowManyNamesItRemoved) {
  const Client client = open();
  const auto sweep = [&] { return client.session().sweep(0s, soon()).value(); };
  for (const char* const each : {"a", "b", "c"}) {
    ClaimLock mutex(client, {Kind::mutex, name(each)});
    ASSERT_TRUE(mutex.begin());
    ASSERT_TRUE(mutex.release());
  }
  ClaimLock used(client, {Kind::mutex, name("used")});
  ASSERT_TRUE(used.begin());
  const auto removed = sweep();
  EXPECT_TRUE(removed == 0 || removed == 3) << removed;
  EXPECT_EQ(sweep(), 0u) << "they are removed once";
  EXPECT_TRUE(used.release());
}

}  // namespace
}  // namespace holdfast::test

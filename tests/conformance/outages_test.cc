// SPDX-License-Identifier: Apache-2.0

// Requests and replies are lost, and the engine cannot be reached.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Outages : public Conformance {
 protected:
  // Failed renewals are expected here, and their log lines would only fill the output.
  Client open_quietly(std::chrono::milliseconds ttl = scaled(30s)) {
    ClientOptions options;
    options.ttl = ttl;
    options.log = [](LogLevel, std::string_view) {};
    return engine().open(std::move(options));
  }

  Faults& faults() { return *engine().faults(); }
  engine::Address address() const { return {engine::Kind::mutex, name("a")}; }

  testing::AssertionResult nothing_is_left() {
    const Client observer = open_quietly();
    if (eventually([&] { return survey(observer, address()).empty(); })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "a claim is left that no client knows of";
  }
};

HOLDFAST_CONFORMANCE(Outages);

TEST_P(Outages, ALostReplyDoesNotMakeASecondEntry) {
  const Client observer = open();
  Mutex mutex(open_quietly(), name("a"));
  for (int lost = 1; lost <= 3; ++lost) {
    faults().lose_replies(lost);
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    std::vector<engine::Entry> entries;  // A slow node of a quorum may not know it yet.
    ASSERT_TRUE(eventually([&] {
      entries = survey(observer, address());
      return entries.size() == 1;
    })) << entries.size();
    EXPECT_TRUE(entries[0].granted);
    EXPECT_EQ(entries[0].token, hold->token());
    EXPECT_TRUE(hold->release());
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_P(Outages, AnUnansweredAttemptThatIsGivenUpLeavesNothing) {
  const Client client = open_quietly();
  const auto resource = client.session().bind(address()).value();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ClaimLock(open(), address()).begin());  // The name exists after this.
    const engine::Claim claim{.ticket = next_ticket()};
    faults().lose_replies(1);
    (void)resource->attempt(claim, nullptr, soon());
    faults().lose_replies(0);
    EXPECT_TRUE(eventually([&] {
      const auto dropped = resource->drop(claim, soon());
      return dropped || dropped.error().code == Errc::not_held;
    }));
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_P(Outages, ALostReplyIsAnUnknownOutcome) {
  const Client client = open_quietly();
  const auto resource = client.session().bind(address()).value();
  ASSERT_TRUE(ClaimLock(client, address()).begin());  // The name exists after this.
  const engine::Claim claim{.ticket = next_ticket()};
  faults().lose_replies(1);
  const auto attempted =
      resource->attempt(claim, nullptr, Clock::now() + scaled(500ms));
  faults().lose_replies(0);
  if (!attempted) {  // An engine may have retried in time.
    EXPECT_TRUE(attempted.error().code == Errc::outcome_unknown ||
                attempted.error().code == Errc::unavailable)
        << attempted.error().message();
  }
  EXPECT_TRUE(eventually([&] {
    const auto dropped = resource->drop(claim, soon());
    return dropped || dropped.error().code == Errc::not_held;
  }));
  EXPECT_TRUE(nothing_is_left());
}

// An engine may repeat a change that has a ticket, so once one reply is lost, and once
// all of them are. If it reads first, that is the reply which is lost, and nothing is
// changed.
TEST_P(Outages, ALostReplyToAChangeIsAnUnknownOutcome) {
  const Client client = open_quietly();
  if (!client.traits(engine::Kind::counter).supported) return;
  const auto number = client.session().bind({engine::Kind::counter, name("n")}).value();
  for (const int lost : {1, 1'000'000}) {
    for (const engine::Ticket ticket : {engine::Ticket::none, next_ticket()}) {
      ASSERT_TRUE(eventually([&, other = next_ticket()] {  // so that all is prepared
        return number->add(1, other, soon()).has_value();
      }));
      const auto before = number->load(soon()).value().number;
      faults().lose_replies(lost);
      const auto added = number->add(2, ticket, Clock::now() + scaled(500ms));
      faults().lose_replies(0);
      Result<engine::Value> now = Errc::unavailable;
      ASSERT_TRUE(eventually([&] { return (now = number->load(soon())).has_value(); }));
      const bool made = now->number != before;
      EXPECT_EQ(now->number, before + (made ? 2 : 0));
      EXPECT_TRUE(made || !added);
      if (added || !made) continue;
      EXPECT_EQ(added.error().code, Errc::outcome_unknown) << added.error().message();
    }
  }
}

TEST_P(Outages, AResourceIsMadeWithoutTheServer) {
  const Client client = open_quietly();
  faults().unreachable(true);
  EXPECT_TRUE(client.session().bind(address()));
  faults().unreachable(false);
}

TEST_P(Outages, ALostRequestIsRepeated) {
  Mutex mutex(open_quietly(), name("a"));
  faults().lose_requests(2);
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_TRUE(hold->release());
}

TEST_P(Outages, ALostReplyToTheOnlyAttemptLeavesNothing) {
  Mutex mutex(open_quietly(), name("a"));
  faults().lose_replies(1);
  if (auto hold = mutex.acquire({.wait = Timeout::zero()})) {
    EXPECT_TRUE(hold->release());
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_P(Outages, ALostReplyToADropLeavesNothing) {
  Mutex mutex(open_quietly(), name("a"));
  {
    const auto hold = mutex.acquire().value();
    faults().lose_replies(1);
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_P(Outages, ALostDropIsRepeated) {
  Mutex mutex(open_quietly(), name("a"));
  mutex.lock();
  faults().lose_requests(1);
  mutex.unlock();
  EXPECT_TRUE(nothing_is_left());
}

TEST_P(Outages, AnAbandonedWaitLeavesNothing) {
  Mutex holder(open_quietly(), name("a"));
  Mutex waiter(open_quietly(), name("a"));
  holder.lock();
  auto refused = std::async(std::launch::async, [&] {
    return waiter.acquire({.wait = scaled(300ms)}).has_value();
  });
  ASSERT_TRUE(waiting(open_quietly(), address(), 1));
  faults().unreachable(true);
  EXPECT_FALSE(refused.get());
  faults().unreachable(false);
  EXPECT_TRUE(waiting(open_quietly(), address(), 0));
  holder.unlock();
  EXPECT_TRUE(nothing_is_left());
}

TEST_P(Outages, ShorterThanTheTtlLoseNothing) {
  const auto ttl = scaled(1200ms);
  Mutex mutex(open_quietly(ttl), name("a"));
  auto hold = mutex.acquire().value();
  faults().unreachable(true);
  EXPECT_TRUE(throughout(ttl / 3, [&] { return hold.valid(); }));
  faults().unreachable(false);
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold.valid(); }));
  EXPECT_FALSE(hold.lost().stop_requested());
  EXPECT_TRUE(hold.release());
}

TEST_P(Outages, LongerThanTheTtlLoseTheHoldInTime) {
  const auto ttl = scaled(600ms);
  Mutex mutex(open_quietly(ttl), name("a"));
  auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> told{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { told = Clock::now(); });
  const auto start = Clock::now();
  faults().unreachable(true);
  EXPECT_TRUE(eventually([&] { return told.load() != Clock::time_point::max(); }));
  EXPECT_LE(told.load() - start, ttl + scaled(150ms));
  EXPECT_FALSE(hold.valid());
  faults().unreachable(false);

  Mutex other(open_quietly(), name("a"));
  const auto next = other.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
}

TEST_P(Outages, AreNotMistakenForContention) {
  Mutex mutex(open_quietly(), name("a"));
  faults().unreachable(true);
  const auto refused = mutex.acquire({.wait = scaled(100ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << refused.error().message();
  EXPECT_THROW((void)mutex.try_lock(), Error);
  faults().unreachable(false);
  EXPECT_TRUE(mutex.try_lock_for(patience()));
  mutex.unlock();
}

TEST_P(Outages, AWaiterOutlivesAShortOne) {
  Mutex holder(open_quietly(), name("a"));
  Mutex waiter(open_quietly(), name("a"));
  holder.lock();
  auto entered = std::async(std::launch::async, [&] {
    return waiter.acquire({.wait = patience()}).has_value();
  });
  ASSERT_TRUE(waiting(open_quietly(), address(), 1));
  faults().unreachable(true);
  EXPECT_TRUE(throughout(scaled(100ms), [] { return true; }));
  faults().unreachable(false);
  holder.unlock();
  EXPECT_TRUE(entered.get());
}

TEST_P(Outages, DoNotHangClose) {
  Client client = open_quietly(scaled(1s));
  Mutex mutex(client, name("a"));
  const auto hold = mutex.acquire().value();
  faults().unreachable(true);
  const auto start = Clock::now();
  client.close();
  EXPECT_LT(Clock::now() - start, patience());
  EXPECT_FALSE(hold.valid());
  faults().unreachable(false);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/late_arrivals.h"

#include <future>
#include <optional>
#include <utility>

#include "conformance/claim_lock.h"
#include "faults/ground.h"
#include "holdfast/counter.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {

using namespace std::chrono_literals;

void a_wake_up_that_comes_too_late_is_no_grant(const BadLine& on) {
  Mutex holder(on.open_directly(scaled(30s)), "a");
  Mutex waiter(on.open(scaled(2s)), "a");
  Mutex others(on.open_directly(scaled(30s)), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(on.has_claims({engine::Kind::mutex, "a"}, 2));
  on.line.freeze();
  holder.unlock();
  // The connection stands so long that the waiter's claim is over at the server.
  EXPECT_TRUE(throughout(scaled(4s), [] { return true; }));
  auto theirs = others.acquire({.wait = patience()});
  ASSERT_TRUE(theirs) << theirs.error().message();
  on.line.thaw();
  EXPECT_TRUE(still_waits(entered)) << "two hold it at once";
  EXPECT_TRUE(theirs->release());
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GT(in.token, theirs->token());
}

void a_grant_whose_answer_was_lost_is_no_younger(const BadLine& on) {
  const engine::Address at{engine::Kind::mutex, "a"};
  const auto ttl = scaled(9s);
  const auto late = scaled(1500ms);
  Mutex mutex(on.open(ttl), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  ASSERT_TRUE(on.has_claims(at, 0));
  on.line.lose_replies(1'000'000);
  auto entered = std::async(std::launch::async,
                            [&] { return mutex.acquire({.wait = patience()}); });
  ASSERT_TRUE(on.has_claims(at, 1));
  EXPECT_TRUE(throughout(late, [] { return true; }));
  on.line.lose_replies(0);
  const auto hold = entered.get();
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_LE(hold->valid_for(), ttl - late)
      << "the lease was counted from when the grant was found out";
}

void an_attempt_that_was_given_up_comes_too_late(const BadLine& on, engine::Kind kind) {
  const engine::Address at{kind, "a"};
  const Client client = on.open(scaled(30s));
  const auto ours = client.session().bind(at).value();
  const Client other = on.open_directly(scaled(30s));
  const auto seen = other.session().bind(at).value();
  for (int i = 0; i < 3; ++i) {
    // An attempt before the fault prepares everything.
    const engine::Claim before{.ticket = next_ticket()};
    ASSERT_TRUE(ours->attempt(before, nullptr, soon()));
    ASSERT_TRUE(ours->drop(before, soon()));
    on.line.freeze_present();
    const engine::Claim late{.ticket = next_ticket()};
    EXPECT_FALSE(ours->attempt(late, nullptr, Clock::now() + scaled(100ms)));
    ASSERT_TRUE(eventually([&] {
      const auto dropped = ours->drop(late, Clock::now() + scaled(500ms));
      return dropped || dropped.error().code == Errc::not_held;
    }));
    on.line.thaw();
    EXPECT_TRUE(throughout(scaled(300ms), [&] {
      return seen->survey(9, soon()).value().empty();
    })) << "the attempt has left a claim behind";
  }
}

namespace {

const engine::Address kRound{engine::Kind::double_barrier, "round"};
const engine::Claim kParty{.capacity = 2};

}  // namespace

void an_opening_that_comes_too_late_opens_nothing(const BadLine& on, int calls) {
  const Client client = on.open(scaled(30s));
  const Client other = on.open_directly(scaled(30s));
  ClaimLock before(client, kRound, kParty);  // so that everything is prepared
  ASSERT_FALSE(before.acquire({.wait = Timeout::zero()}));
  ClaimLock first(other, kRound, kParty);
  ASSERT_FALSE(first.begin());
  on.line.freeze_at_call(calls);
  const auto round = client.session().bind(kRound).value();
  engine::Claim last = kParty;
  last.ticket = next_ticket();
  const auto opened =
      round->attempt(last, client.session().signal(), Clock::now() + scaled(1s));
  ASSERT_FALSE(opened) << "the call that opens was answered";
  EXPECT_EQ(opened.error().code, Errc::outcome_unknown) << opened.error().message();
  ASSERT_TRUE(eventually([&] {
    const auto dropped = round->drop(last, Clock::now() + scaled(500ms));
    return dropped || dropped.error().code == Errc::not_held;
  }));
  ASSERT_TRUE(first.release());
  ClaimLock next(other, kRound, kParty);
  ASSERT_FALSE(next.begin());
  on.line.thaw();
  EXPECT_TRUE(throughout(scaled(500ms), [&] { return !next.again(); }))
      << "a party of the next round is in alone";
}

void a_party_that_has_left_opens_no_barrier(const BadLine& on, int calls) {
  const Client client = on.open(scaled(30s));
  const Client other = on.open_directly(scaled(30s));
  ClaimLock before(client, kRound, kParty);  // so that everything is prepared
  ASSERT_FALSE(before.acquire({.wait = Timeout::zero()}));
  ClaimLock first(other, kRound, kParty);
  ClaimLock second(client, kRound, kParty);
  ASSERT_FALSE(first.begin());
  on.line.freeze_at_call(calls);
  auto entered = std::async(std::launch::async, [&] { return second.begin(); });
  ASSERT_TRUE(on.has_claims(kRound, 2));
  EXPECT_EQ(entered.wait_for(scaled(300ms)), std::future_status::timeout);
  ASSERT_TRUE(first.release());
  on.line.thaw();
  EXPECT_FALSE(entered.get()) << "it is in alone";
}

void a_change_of_a_claim_that_comes_too_late_changes_nothing(const BadLine& on) {
  const engine::Address at{engine::Kind::semaphore, "s"};
  const Client client = on.open(scaled(30s));
  const Client other = on.open_directly(scaled(30s));
  ClaimLock lock(client, at, {.permits = 5, .capacity = 5});
  ASSERT_TRUE(lock.begin());
  engine::Claim fewer = lock.claim();
  fewer.permits = 3;
  // A connection that has just been made is not replaced by another one.
  EXPECT_TRUE(throughout(1200ms, [&] { return lock.valid(); }));
  on.line.freeze_at_call();
  const auto late =
      lock.resource().amend(lock.claim(), fewer, Clock::now() + scaled(300ms));
  ASSERT_FALSE(late) << "it was answered";
  engine::Claim one = lock.claim();
  one.permits = 1;
  ASSERT_TRUE(eventually([&] {
    const auto until = Clock::now() + scaled(500ms);
    return lock.resource().amend(lock.claim(), one, until).has_value();
  }));
  const auto seen = other.session().bind(at).value();
  on.line.thaw();
  EXPECT_TRUE(throughout(scaled(500ms), [&] {
    return seen->survey(9, soon()).value().at(0).permits == 1;
  })) << "permits are taken that no client holds";
}

void an_unanswered_change_is_remembered(const BadLine& on) {
  const Client client = on.open(scaled(30s));
  const auto number = client.session().bind({engine::Kind::counter, "n"}).value();
  for (int i = 0; i < 5; ++i) {  // so that everything is prepared
    ASSERT_TRUE(number->add(1, next_ticket(), soon()));
  }
  const engine::Ticket ticket = next_ticket();
  on.line.lose_replies(1);
  ASSERT_FALSE(number->add(1, ticket, soon()));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(eventually([&, other = next_ticket()] {
      return number->add(1, other, soon()).has_value();
    }));
  }
  const auto again = number->add(1, ticket, soon());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(number->load(soon()).value().number, 16);
}

void an_unanswered_change_is_not_made_over_others(const BadLine& on) {
  const Client client = on.open(scaled(30s));
  const Client other = on.open_directly(scaled(30s));
  const engine::Address at{engine::Kind::counter, "n"};
  const auto number = client.session().bind(at).value();
  for (int i = 0; i < 5; ++i) {  // so that everything is prepared
    ASSERT_TRUE(number->add(1, next_ticket(), soon()));
  }
  const auto five = number->load(soon()).value();
  const engine::Ticket ticket = next_ticket();
  on.line.lose_requests(1);
  ASSERT_FALSE(number->exchange(five, 50, ticket, soon()));
  ASSERT_TRUE(other.session().bind(at).value()->add(1, next_ticket(), soon()));
  const auto again = number->exchange(five, 50, ticket, soon());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_FALSE(again->done);
  EXPECT_EQ(again->now.number, 6);
}

void an_unanswered_update_is_made_once(const BadLine& on) {
  const auto ttl = scaled(2s);
  Counter number(on.open(ttl), "n");
  Counter seen(on.open_directly(scaled(30s)), "n");
  for (int i = 0; i < 5; ++i) {  // so that everything is prepared
    ASSERT_TRUE(number.update([](std::int64_t n) { return n + 2; }));
  }
  auto updated = std::async(std::launch::async, [&] {
    bool first = true;
    return number.update(
        [&](std::int64_t left) -> std::optional<std::int64_t> {
          if (std::exchange(first, false)) on.line.lose_replies(1'000'000);
          return left - 3;
        },
        {.wait = patience()});
  });
  ASSERT_TRUE(eventually([&] { return seen.get().value() == 7; }));
  EXPECT_TRUE(throughout(2 * ttl, [] { return true; }));
  on.line.lose_replies(0);
  const auto change = updated.get();
  if (change) {
    EXPECT_EQ(change->after, 7);
  } else {
    EXPECT_EQ(change.error().code, Errc::outcome_unknown) << change.error().message();
  }
  EXPECT_EQ(seen.get().value(), 7) << "the change was made twice";
}

}  // namespace holdfast::test

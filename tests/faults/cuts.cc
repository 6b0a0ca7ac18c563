// SPDX-License-Identifier: Apache-2.0

#include "faults/cuts.h"

#include <future>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "conformance/claim_lock.h"
#include "faults/ground.h"
#include "faults/outages.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

const engine::Address kA{engine::Kind::mutex, "a"};

std::chrono::milliseconds short_ttl() { return scaled(2s); }
std::chrono::milliseconds long_ttl() { return scaled(30s); }

// Our hold is behind the proxy, the other client is not.
void lost_before_another_gets_in(const BadLine& on, void (*fault)(FaultProxy&)) {
  Mutex ours(on.open(short_ttl()), "a");
  Mutex others(on.open_directly(long_ttl()), "a");
  const auto hold = ours.acquire().value();
  const Told told(hold);
  auto entered = wait_for(others);
  ASSERT_TRUE(on.has_claims(kA, 2));
  const auto start = Clock::now();
  fault(on.line);
  Clock::time_point valid_until{};
  EXPECT_TRUE(eventually([&] {
    const auto now = Clock::now();
    if (const auto left = hold.valid_for(); left > 0ns) valid_until = now + left;
    return entered.wait_for(0s) == std::future_status::ready;
  }));
  const Entered next = entered.get();
  ASSERT_TRUE(next.token) << next.why_not;
  EXPECT_GT(next.token, hold.token());
  EXPECT_LE(valid_until, next.at) << "two held it at once";
  told.expect_by(next.at);
  told.expect_by(start + short_ttl() + scaled(250ms));
  EXPECT_FALSE(hold.valid());
}

}  // namespace

void a_hold_outlives_many_short_cuts(const BadLine& on) {
  Mutex mutex(on.open(short_ttl()), "a");
  const auto hold = mutex.acquire().value();
  for (int i = 0; i < 8; ++i) {
    on.line.cut_all();
    EXPECT_TRUE(throughout(short_ttl() / 4, [&] { return hold.valid(); }));
  }
  EXPECT_TRUE(on.has_claims(kA, 1));
}

void a_hold_outlives_a_longer_cut(const BadLine& on) {
  const auto span = scaled(3s);
  Mutex mutex(on.open(span), "a");
  const auto hold = mutex.acquire().value();
  on.line.unreachable(true);
  EXPECT_TRUE(throughout(span / 3, [&] { return hold.valid(); }));
  on.line.unreachable(false);
  EXPECT_TRUE(throughout(span, [&] { return hold.valid(); }));
  EXPECT_TRUE(on.has_claims(kA, 1));
}

void a_cut_loses_it_before_another_gets_in(const BadLine& on) {
  lost_before_another_gets_in(on, [](FaultProxy& line) { line.unreachable(true); });
}

void a_standstill_loses_it_before_another_gets_in(const BadLine& on) {
  lost_before_another_gets_in(on, [](FaultProxy& line) { line.freeze(); });
}

void a_grant_that_comes_too_late_is_none(const BadLine& on) {
  Mutex ours(on.open(short_ttl()), "a");
  ASSERT_TRUE(ours.try_lock());
  ours.unlock();
  ASSERT_TRUE(on.has_claims(kA, 0));
  on.line.freeze();
  auto entered = std::async(std::launch::async,
                            [&] { return ours.acquire({.wait = patience()}); });
  // The connection stands so long that the lease which was asked for is over at the
  // server.
  EXPECT_TRUE(throughout(2 * short_ttl(), [] { return true; }));
  Mutex others(on.open_directly(long_ttl()), "a");
  auto theirs = others.acquire({.wait = patience()});
  ASSERT_TRUE(theirs) << theirs.error().message();
  on.line.thaw();
  EXPECT_EQ(entered.wait_for(scaled(500ms)), std::future_status::timeout)
      << "two hold it at once";
  EXPECT_TRUE(theirs->release());
  const auto hold = entered.get();
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_TRUE(hold->valid());
  EXPECT_GT(hold->token(), theirs->token());
}

void an_attempt_that_arrives_late_leaves_nothing(const BadLine& on) {
  Mutex mutex(on.open(long_ttl()), "a");
  Mutex others(on.open_directly(long_ttl()), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  for (int i = 0; i < 5; ++i) {
    on.line.freeze();
    EXPECT_FALSE(mutex.acquire({.wait = scaled(100ms)}));
    on.line.thaw();
    EXPECT_TRUE(others.try_lock_for(scaled(5s))) << "it waited for the lease of 30 s";
    others.unlock();
  }
  EXPECT_TRUE(on.has_claims(kA, 0));
}

void an_unlock_is_not_forgotten(const BadLine& on) {
  Mutex mutex(on.open(scaled(6s)), "a");
  const auto is_free_soon = [&] {
    const auto start = Clock::now();
    EXPECT_TRUE(on.has_claims(kA, 0));
    EXPECT_LT(Clock::now() - start, scaled(3s));
  };
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    on.line.unreachable(true);
    mutex.unlock();
    on.line.unreachable(false);
    is_free_soon();
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    on.line.lose_requests(1);
    mutex.unlock();
    is_free_soon();
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    mutex.unlock();
    on.line.cut_all();
    is_free_soon();
  }
}

void an_unlock_is_not_forgotten_in_a_long_cut(const BadLine& on) {
  Mutex mutex(on.open(scaled(6s)), "a");
  ASSERT_TRUE(mutex.try_lock());
  on.line.unreachable(true);
  mutex.unlock();
  EXPECT_TRUE(throughout(scaled(1s), [] { return true; }));
  const auto back = Clock::now();
  on.line.unreachable(false);
  EXPECT_TRUE(on.has_claims(kA, 0));
  EXPECT_LT(Clock::now() - back, scaled(3s));
}

void a_server_that_falls_silent(const BadLine& on) {
  a_call_ends_in_an_outage({[&] { return on.open(short_ttl()); }, short_ttl(),
                            [&] { on.line.freeze(); }, [&] { on.line.thaw(); }});
}

void a_call_without_time_does_not_wait(const BadLine& on) {
  const Client client = on.open(long_ttl());
  engine::Session& session = client.session();
  const auto mutex = session.bind(kA).value();
  const auto number = session.bind({engine::Kind::counter, "n"}).value();
  const engine::Waker waker = session.signal();
  const engine::Claim held{.ticket = next_ticket()};
  ASSERT_TRUE(mutex->attempt(held, nullptr, soon()));
  const auto five = number->add(5, next_ticket(), soon()).value();
  const std::string owner = mutex->survey(1, soon()).value().at(0).owner;
  on.line.freeze();
  constexpr auto kPassed = engine::Deadline::min();
  const auto timed = [](std::string_view what, auto call) {
    const auto start = Clock::now();
    const auto result = call();
    EXPECT_LT(Clock::now() - start, scaled(1s)) << what;
    if (result.has_value()) return;
    EXPECT_TRUE(result.error().code == Errc::outcome_unknown ||
                result.error().code == Errc::unavailable)
        << what << ": " << result.error().message();
  };
  const engine::Claim other{.ticket = next_ticket()};
  timed("attempt", [&] { return mutex->attempt(other, waker, kPassed); });
  timed("amend", [&] { return mutex->amend(held, held, kPassed); });
  engine::ClaimRef refs[] = {{mutex.get(), &held}};
  timed("renew", [&] { return session.renew(refs, kPassed); });
  EXPECT_NE(refs[0].outcome, Errc::not_held);
  timed("survey", [&] { return mutex->survey(10, kPassed); });
  timed("watch", [&] { return mutex->watch(waker, kPassed); });
  timed("list", [&] { return session.list("", "", kPassed); });
  timed("load", [&] { return number->load(kPassed); });
  timed("add", [&] { return number->add(1, next_ticket(), kPassed); });
  timed("exchange", [&] { return number->exchange(five, 7, next_ticket(), kPassed); });
  timed("evict", [&] { return mutex->evict(owner, kPassed); });
  timed("drop", [&] { return mutex->drop(held, kPassed); });
  on.line.thaw();
}

void a_lost_wakeup_is_found_out(const BadLine& on) {
  Mutex holder(on.open_directly(long_ttl()), "a");
  Mutex waiter(on.open(long_ttl()), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(on.has_claims(kA, 2));
  on.line.unreachable(true);
  holder.unlock();
  const auto back = Clock::now();
  on.line.unreachable(false);
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_LT(in.at - back, scaled(5s)) << "it waited for the lease of 30 s";
}

void a_connection_that_stands_is_left(const BadLine& on) {
  Mutex mutex(on.open(long_ttl()), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  on.line.freeze_present();
  const auto hold = mutex.acquire({.wait = patience()});
  EXPECT_TRUE(hold) << hold.error().message();
}

void a_renewal_that_is_stuck_holds_up_no_other(const BadLine& on) {
  const Client client = on.open(long_ttl());
  ClaimLock stuck(client, kA);
  ClaimLock other(client, {engine::Kind::mutex, "b"});
  ASSERT_TRUE(stuck.begin());
  ASSERT_TRUE(other.begin());
  const auto renew = [&](const ClaimLock& lock, engine::Deadline until) {
    engine::ClaimRef ref{&lock.resource(), &lock.claim()};
    const auto renewed = client.session().renew(std::span(&ref, 1), until);
    return renewed ? ref.outcome : std::error_code(renewed.error().code);
  };
  on.line.freeze_at_call();
  const auto stuck_one = std::async(
      std::launch::async, [&] { (void)renew(stuck, Clock::now() + 2 * patience()); });
  ASSERT_TRUE(eventually([&] { return on.line.froze_at_call(); }));
  // An engine with one connection for all calls leaves it first.
  const auto start = Clock::now();
  EXPECT_TRUE(eventually([&] { return !renew(other, Clock::now() + scaled(1s)); }));
  EXPECT_LT(Clock::now() - start, patience()) << "it waited for the other renewal";
  on.line.thaw();
}

void a_hold_outlives_a_connection_that_stands(const BadLine& on) {
  const auto span = scaled(9s);
  Mutex mutex(on.open(span), "a");
  const auto hold = mutex.acquire().value();
  on.line.freeze_present();
  EXPECT_TRUE(throughout(span * 3 / 2, [&] { return hold.valid(); }));
}

void a_waiter_outlives_a_connection_that_stands(const BadLine& on) {
  Mutex holder(on.open_directly(long_ttl()), "a");
  Mutex waiter(on.open(long_ttl()), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(on.has_claims(kA, 2));
  on.line.freeze_present();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A call whose deadline has passed does not wait for a server. Where the traits say so,
// its request is sent all the same.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Ticket;
using namespace std::chrono_literals;

constexpr auto kPassed = engine::Deadline::min();

class PassedDeadlines : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    client_.emplace(open());
    observer_.emplace(open());
  }

  engine::Address address() const { return {Kind::mutex, name("a")}; }
  engine::Session& session() const { return client_->session(); }
  std::shared_ptr<engine::Resource> bind(Kind kind) const {
    return session().bind({kind, name("a")}).value();
  }
  engine::Traits traits(Kind kind) const { return session().traits(kind); }
  std::vector<engine::Entry> seen(const engine::Address& at) const {
    return survey(*observer_, at);
  }
  std::vector<engine::Entry> seen() const { return seen(address()); }
  std::int64_t seen_number(Kind kind) const {
    const auto resource = observer_->session().bind({kind, name("a")}).value();
    return resource->load(soon()).value().number;
  }

 private:
  std::optional<Client> client_;
  std::optional<Client> observer_;
};

HOLDFAST_CONFORMANCE(PassedDeadlines);

template <class T>
void expect_answered_or_not_awaited(const Result<T>& result) {
  if (result.has_value()) return;
  EXPECT_TRUE(result.error().code == Errc::outcome_unknown ||
              result.error().code == Errc::unavailable)
      << result.error().message();
}

TEST_P(PassedDeadlines, OfAnAttempt) {
  const auto mutex = bind(Kind::mutex);
  const Claim claim{.ticket = next_ticket()};
  const engine::Waker waker = session().signal();
  expect_answered_or_not_awaited(mutex->attempt(claim, waker, kPassed));
  if (traits(Kind::mutex).sends_ahead) {
    EXPECT_TRUE(eventually([&] { return seen().size() == 1 && seen()[0].granted; }));
  }
  const auto answer = mutex->attempt(claim, waker, soon()).value();
  EXPECT_TRUE(std::holds_alternative<Granted>(answer));
  EXPECT_EQ(seen().size(), 1u);
  EXPECT_TRUE(mutex->drop(claim, soon()));
}

TEST_P(PassedDeadlines, OfADrop) {
  const auto mutex = bind(Kind::mutex);
  const Claim claim{.ticket = next_ticket()};
  ASSERT_TRUE(mutex->attempt(claim, nullptr, soon()));
  const auto dropped = mutex->drop(claim, kPassed);
  expect_answered_or_not_awaited(dropped);
  const engine::Traits traits = this->traits(Kind::mutex);
  if (dropped || traits.sends_ahead || traits.fifo_requests) {
    EXPECT_TRUE(eventually([&] { return seen().empty(); }));
  }
  if (!dropped) {
    const auto answer = mutex->drop(claim, soon());
    EXPECT_TRUE(answer || answer.error().code == Errc::not_held);
  }
  EXPECT_TRUE(eventually([&] { return seen().empty(); }));
}

// The drop is not awaited, and nothing stands in the way of the claim that follows it.
TEST_P(PassedDeadlines, OfADropThatAnotherAttemptFollows) {
  if (!traits(Kind::mutex).fifo_requests) return;
  const auto mutex = bind(Kind::mutex);
  for (int i = 0; i < 20; ++i) {
    const Claim claim{.ticket = next_ticket()};
    const auto verdict = mutex->attempt(claim, nullptr, soon()).value();
    ASSERT_TRUE(std::holds_alternative<Granted>(verdict)) << "after drop " << i;
    expect_answered_or_not_awaited(mutex->drop(claim, kPassed));
  }
  EXPECT_TRUE(eventually([&] { return seen().empty(); }));
}

TEST_P(PassedDeadlines, OfADropOfOtherKinds) {
  for (const Kind kind : {Kind::fair_mutex, Kind::shared_mutex, Kind::election,
                          Kind::semaphore, Kind::double_barrier}) {
    if (!traits(kind).supported) continue;
    SCOPED_TRACE(static_cast<int>(kind));
    const engine::Address at{kind, name("of kind " + std::to_string(int(kind)))};
    const auto resource = session().bind(at).value();
    const Claim claim{.ticket = next_ticket(), .capacity = 1};
    ASSERT_TRUE(resource->attempt(claim, nullptr, soon()));
    const auto start = Clock::now();
    const auto dropped = resource->drop(claim, kPassed);
    EXPECT_LT(Clock::now() - start, scaled(1s));
    expect_answered_or_not_awaited(dropped);
    if (!dropped && !traits(kind).fifo_requests) {
      const auto answer = resource->drop(claim, soon());
      EXPECT_TRUE(answer || answer.error().code == Errc::not_held);
    }
    EXPECT_TRUE(eventually([&] { return seen(at).empty(); }));
  }
}

TEST_P(PassedDeadlines, OfAChangeToAClaim) {
  const auto mutex = bind(Kind::mutex);
  const Claim claim{.ticket = next_ticket()};
  ASSERT_TRUE(mutex->attempt(claim, nullptr, soon()));
  Claim wanted = claim;
  wanted.payload = "new";
  const auto is_new = [&] { return seen().size() == 1 && seen()[0].payload == "new"; };
  expect_answered_or_not_awaited(mutex->amend(claim, wanted, kPassed));
  if (traits(Kind::mutex).sends_ahead) {
    EXPECT_TRUE(eventually(is_new));
  }
  EXPECT_TRUE(mutex->amend(claim, wanted, soon()));
  EXPECT_TRUE(eventually(is_new));
  EXPECT_TRUE(mutex->drop(wanted, soon()));
}

TEST_P(PassedDeadlines, OfAChangeToARegister) {
  if (!traits(Kind::counter).supported) return;
  const auto counter = bind(Kind::counter);
  const Ticket first = next_ticket();
  expect_answered_or_not_awaited(counter->add(5, first, kPassed));
  if (traits(Kind::counter).sends_ahead) {
    EXPECT_TRUE(eventually([&] { return seen_number(Kind::counter) == 5; }));
  }
  const auto five = counter->add(5, first, soon()).value();
  EXPECT_EQ(five.number, 5);
  EXPECT_EQ(seen_number(Kind::counter), 5);

  const Ticket second = next_ticket();
  expect_answered_or_not_awaited(counter->exchange(five, 7, second, kPassed));
  if (traits(Kind::counter).sends_ahead) {
    EXPECT_TRUE(eventually([&] { return seen_number(Kind::counter) == 7; }));
  }
  EXPECT_TRUE(counter->exchange(five, 7, second, soon()).value().done);
  EXPECT_EQ(seen_number(Kind::counter), 7);
}

TEST_P(PassedDeadlines, AreNotWaitedFor) {
  const auto mutex = bind(Kind::mutex);
  const auto counter = session().bind({Kind::counter, name("n")}).value();
  const engine::Waker waker = session().signal();
  const Claim held{.ticket = next_ticket()};
  ASSERT_TRUE(mutex->attempt(held, nullptr, soon()));
  const auto timed = [](std::string_view what, auto call) {
    const auto start = Clock::now();
    const auto result = call();
    EXPECT_LT(Clock::now() - start, scaled(500ms)) << what;
    if (result.has_value() || result.error().code != Errc::not_held) {
      expect_answered_or_not_awaited(result);
    }
  };
  for (int i = 0; i < 5; ++i) {
    const Claim other{.ticket = next_ticket()};
    timed("attempt", [&] { return mutex->attempt(other, waker, kPassed); });
    timed("drop", [&] { return mutex->drop(other, kPassed); });
    timed("amend", [&] { return mutex->amend(held, held, kPassed); });
    timed("survey", [&] { return mutex->survey(10, kPassed); });
    timed("watch", [&] { return mutex->watch(waker, kPassed); });
    timed("evict", [&] { return mutex->evict("no owner", kPassed); });
    timed("list", [&] { return session().list(name("a"), "", kPassed); });
    engine::ClaimRef refs[] = {{mutex.get(), &held}};
    timed("renew", [&] { return session().renew(refs, kPassed); });
    EXPECT_NE(refs[0].outcome, Errc::not_held);
    if (!traits(Kind::counter).supported) continue;
    timed("load", [&] { return counter->load(kPassed); });
    timed("add", [&] { return counter->add(1, next_ticket(), kPassed); });
    timed("exchange", [&] { return counter->exchange({}, 1, next_ticket(), kPassed); });
  }
  EXPECT_TRUE(mutex->drop(held, soon()));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// An engine may leave out what it has no use for.

#include "holdfast/engine/session.h"

#include <gtest/gtest.h>

#include <chrono>

namespace holdfast::inline v0::engine {
namespace {

using namespace std::chrono_literals;

class BareResource final : public Resource {
 public:
  Result<Watch> watch(const Waker&, Deadline) override { return Watch{}; }
};

class BareSession final : public Session {
 public:
  Traits traits(Kind) const noexcept override { return {}; }
  Result<std::shared_ptr<Resource>> bind(const Address&) override {
    return std::shared_ptr<Resource>(std::make_shared<BareResource>());
  }
  Result<void> renew(std::span<ClaimRef>, Deadline) override { return {}; }
  Result<Page> list(std::string_view, std::string_view, Deadline) override {
    return Page{};
  }
};

constexpr auto kUntil = Deadline::max();

template <class T>
void expect_unsupported(const Result<T>& answer) {
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::unsupported);
}

TEST(BareResourceTest, TakesAndKeepsNothing) {
  BareResource resource;
  const Claim claim{.ticket = Ticket{1}};
  expect_unsupported(resource.attempt(claim, nullptr, kUntil));
  expect_unsupported(resource.amend(claim, claim, kUntil));
  expect_unsupported(resource.drop(claim, kUntil));
  expect_unsupported(resource.load(kUntil));
  expect_unsupported(resource.add(1, Ticket::none, kUntil));
  expect_unsupported(resource.exchange({}, 1, Ticket::none, kUntil));
}

TEST(BareResourceTest, LeavesItToTheFormsThatWait) {
  BareResource resource;
  const Claim claim{.ticket = Ticket{1}};
  const auto attempted = resource.post_attempt(claim, nullptr, nullptr, kUntil);
  EXPECT_FALSE(attempted.answer);
  EXPECT_FALSE(attempted.under_way);
  const auto dropped = resource.post_drop(claim, nullptr, kUntil);
  EXPECT_FALSE(dropped.answer);
  EXPECT_FALSE(dropped.under_way);
}

TEST(BareResourceTest, HasNothingToSee) {
  BareResource resource;
  EXPECT_TRUE(resource.survey(10, kUntil).value().empty());
  const auto evicted = resource.evict("an owner", kUntil);
  ASSERT_FALSE(evicted);
  EXPECT_EQ(evicted.error().code, Errc::not_held);
}

TEST(BareSessionTest, HasNothingToTell) {
  BareSession session;
  EXPECT_EQ(session.sweep(0s, kUntil).value(), 0u);
  EXPECT_EQ(session.liveness_fd(), -1);
  EXPECT_TRUE(session.warnings().empty());
  EXPECT_TRUE(session.servers().empty());
}

TEST(BareSessionTest, HasASignalForTheThreadsOfThisProcess) {
  const Waker signal = BareSession().signal();
  ASSERT_NE(signal, nullptr);
  signal->ring();
  signal->wait(kUntil);  // It was rung before.
  signal->wait(Deadline::min());
}

}  // namespace
}  // namespace holdfast::inline v0::engine

// SPDX-License-Identifier: Apache-2.0

// Calls that do not wait for a server, and are answered later.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Verdict;
using namespace std::chrono_literals;

class Posted : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    client_.emplace(open());
    observer_.emplace(open());
    mutex_ = session().bind(address()).value();
    signal_ = session().signal();
  }

  engine::Address address() const { return {Kind::mutex, name("a")}; }
  engine::Session& session() const { return client_->session(); }
  bool posts() const { return session().traits(Kind::mutex).posts; }
  engine::Resource& mutex() const { return *mutex_; }
  const engine::Waker& signal() const { return signal_; }
  std::vector<engine::Entry> seen() const { return survey(*observer_, address()); }

  // Repeats a call when the signal rings, until it is answered.
  template <class Post, class Blocking>
  auto answer_of(Post post, Blocking wait) {
    for (;;) {
      auto posted = post();
      if (posted.answer) return *std::move(posted.answer);
      if (!posted.under_way) return wait();
      signal_->wait(Clock::now() + patience());
    }
  }
  Result<Verdict> attempt(const Claim& claim, const engine::Waker& waker) {
    const auto until = soon();
    return answer_of([&] { return mutex().post_attempt(claim, waker, signal_, until); },
                     [&] { return mutex().attempt(claim, waker, until); });
  }
  Result<void> drop(const Claim& claim) {
    const auto until = soon();
    return answer_of([&] { return mutex().post_drop(claim, signal_, until); },
                     [&] { return mutex().drop(claim, until); });
  }

 private:
  std::optional<Client> client_;
  std::optional<Client> observer_;
  std::shared_ptr<engine::Resource> mutex_;
  engine::Waker signal_;
};

HOLDFAST_CONFORMANCE(Posted);

template <class T>
bool is(const Result<Verdict>& verdict) {
  return verdict && std::holds_alternative<T>(*verdict);
}

TEST_P(Posted, CallsAreAnsweredLaterOrLeftToThoseThatWait) {
  const Claim claim{.ticket = next_ticket()};
  const auto posted = mutex().post_attempt(claim, nullptr, signal(), soon());
  EXPECT_FALSE(posted.answer);
  EXPECT_EQ(posted.under_way, posts());
  EXPECT_TRUE(is<Granted>(attempt(claim, nullptr)));
  const auto dropped = mutex().post_drop(claim, signal(), soon());
  EXPECT_FALSE(dropped.answer);
  EXPECT_EQ(dropped.under_way, posts());
  EXPECT_TRUE(drop(claim));
  EXPECT_TRUE(eventually([&] { return seen().empty(); }));
}

TEST_P(Posted, AnswersAreThoseOfTheFormsThatWait) {
  const Claim claim{.ticket = next_ticket()};
  const auto first = attempt(claim, nullptr);
  ASSERT_TRUE(is<Granted>(first)) << first.error().message();
  const auto again = attempt(claim, nullptr);
  ASSERT_TRUE(is<Granted>(again)) << again.error().message();
  EXPECT_EQ(std::get<Granted>(*again).token, std::get<Granted>(*first).token);
  EXPECT_EQ(seen().size(), 1u);

  const Claim other{.ticket = next_ticket()};
  EXPECT_TRUE(is<Blocked>(attempt(other, nullptr)));
  EXPECT_EQ(seen().size(), 1u) << "a claim that does not wait has left an entry";

  EXPECT_TRUE(drop(claim));
  const auto gone = drop(claim);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::not_held);
  EXPECT_TRUE(eventually([&] { return seen().empty(); }));
}

TEST_P(Posted, AClaimThatWaitsIsWoken) {
  ClaimLock holder(open(), address());
  ASSERT_TRUE(holder.begin());
  const Claim claim{.ticket = next_ticket()};
  const auto blocked = attempt(claim, signal());
  ASSERT_TRUE(is<Blocked>(blocked)) << blocked.error().message();
  ASSERT_TRUE(holder.release());
  const auto start = Clock::now();
  Result<Verdict> verdict = blocked;
  while (is<Blocked>(verdict) && Clock::now() - start < patience()) {
    signal()->wait(Clock::now() + std::get<Blocked>(*verdict).retry_after);
    verdict = attempt(claim, signal());
  }
  ASSERT_TRUE(is<Granted>(verdict)) << verdict.error().message();
  EXPECT_TRUE(drop(claim));
}

// The drop overtakes the attempt, or it does not; the claim is gone either way.
TEST_P(Posted, ADropEndsACallThatIsUnderWay) {
  for (int i = 0; i < 20; ++i) {
    const Claim claim{.ticket = next_ticket()};
    (void)mutex().post_attempt(claim, signal(), signal(), soon());
    const auto dropped = mutex().drop(claim, soon());
    ASSERT_TRUE(dropped || dropped.error().code == Errc::not_held)
        << dropped.error().message();
  }
  const Claim last{.ticket = next_ticket()};
  EXPECT_TRUE(is<Granted>(attempt(last, nullptr)));  // behind all others on its way
  EXPECT_EQ(seen().size(), 1u);
  EXPECT_TRUE(drop(last));
}

}  // namespace
}  // namespace holdfast::test

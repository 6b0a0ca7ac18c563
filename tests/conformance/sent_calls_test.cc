// SPDX-License-Identifier: Apache-2.0

// Calls in two halves: the request is sent now, and its answer is taken later.

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/engine/sent_call.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::SentCall;
using engine::Verdict;
using namespace std::chrono_literals;

class SentCalls : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    client_.emplace(open());
    observer_.emplace(open());
    mutex_ = client_->session().bind(address()).value();
    calls_ = dynamic_cast<engine::SplitCalls*>(mutex_.get());
    ASSERT_NE(calls_, nullptr);
    // The server has answered each of these calls before.
    const Claim claim{.ticket = next_ticket()};
    ASSERT_TRUE(mutex_->attempt(claim, nullptr, soon()));
    ASSERT_TRUE(mutex_->drop(claim, soon()));
  }

  engine::Address address() const { return {Kind::mutex, name("a")}; }
  engine::Resource& mutex() const { return *mutex_; }
  engine::SplitCalls& calls() const { return *calls_; }
  const Client& observer() const { return *observer_; }
  std::vector<engine::Entry> seen() const { return survey(*observer_, address()); }

  // There may be no idle connection for a moment. A whole call makes one.
  template <class Send>
  auto sent(Send send) {
    auto call = send();
    const bool was_sent = call != nullptr || eventually([&] {
                            (void)mutex().survey(1, soon());
                            call = send();
                            return call != nullptr;
                          });
    if (!was_sent) throw std::runtime_error("no call was sent ahead");
    return call;
  }

  std::unique_ptr<SentCall<Verdict>> attempt(const Claim& claim) {
    return sent([&] { return calls().send_attempt(claim); });
  }
  std::unique_ptr<SentCall<void>> drop(const Claim& claim) {
    return sent([&] { return calls().send_drop(claim); });
  }

 private:
  std::optional<Client> client_;
  std::optional<Client> observer_;
  std::shared_ptr<engine::Resource> mutex_;
  engine::SplitCalls* calls_ = nullptr;
};

HOLDFAST_CONFORMANCE(SentCalls);

template <class T>
bool is_sent(const Result<Verdict>& verdict) {
  return verdict && std::holds_alternative<T>(*verdict);
}

// Waits as the owner of several sent calls does, until `take` would not wait or only
// `take` can go on.
template <class T>
testing::AssertionResult became_ready(SentCall<T>& call) {
  while (!call.is_ready()) {
    const int fd = call.fd();
    if (fd < 0) return testing::AssertionFailure() << "only `take` can go on";
    pollfd line{.fd = fd, .events = POLLIN, .revents = 0};
    if (poll(&line, 1, static_cast<int>(patience().count())) != 1) {
      return testing::AssertionFailure() << "the descriptor is not readable";
    }
  }
  return testing::AssertionSuccess();
}

TEST_P(SentCalls, AreAnsweredAsTheWholeCall) {
  const Claim claim{.ticket = next_ticket()};
  const auto first = attempt(claim)->take(soon());
  ASSERT_TRUE(is_sent<Granted>(first)) << first.error().message();
  const auto again = attempt(claim)->take(soon());
  ASSERT_TRUE(is_sent<Granted>(again)) << again.error().message();
  EXPECT_EQ(std::get<Granted>(*again).token, std::get<Granted>(*first).token);
  const auto whole = mutex().attempt(claim, nullptr, soon());
  ASSERT_TRUE(is_sent<Granted>(whole)) << whole.error().message();
  EXPECT_EQ(std::get<Granted>(*whole).token, std::get<Granted>(*first).token);
  EXPECT_EQ(seen().size(), 1u);

  const Claim other{.ticket = next_ticket()};
  const auto blocked = attempt(other)->take(soon());
  ASSERT_TRUE(is_sent<Blocked>(blocked)) << blocked.error().message();
  EXPECT_GT(std::get<Blocked>(*blocked).retry_after, 0ns);
  EXPECT_EQ(seen().size(), 1u) << "a claim that does not wait has left an entry";

  EXPECT_TRUE(drop(claim)->take(soon()));
  EXPECT_TRUE(seen().empty());
  for (const auto& gone : {drop(claim)->take(soon()), mutex().drop(claim, soon())}) {
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, Errc::not_held);
  }
}

TEST_P(SentCalls, AreReadyWhenTheirAnswerIsThere) {
  const Claim claim{.ticket = next_ticket()};
  const auto attempted = attempt(claim);
  ASSERT_TRUE(became_ready(*attempted));
  const auto verdict = attempted->take(engine::Deadline::min());
  EXPECT_TRUE(is_sent<Granted>(verdict)) << verdict.error().message();

  const auto dropped = drop(claim);
  ASSERT_TRUE(became_ready(*dropped));
  EXPECT_TRUE(dropped->take(engine::Deadline::min()));
  EXPECT_TRUE(seen().empty());
}

TEST_P(SentCalls, WithoutAReplyHaveAnUnknownOutcome) {
  const Claim claim{.ticket = next_ticket()};
  for (const bool is_executed : {true, false}) {
    ASSERT_TRUE(mutex().survey(1, soon()));  // There is a connection after this.
    if (is_executed) {
      engine().faults()->lose_replies(1);
    } else {
      engine().faults()->lose_requests(1);
    }
    const auto call = attempt(claim);
    ASSERT_TRUE(became_ready(*call));
    const auto unknown = call->take(engine::Deadline::min());
    ASSERT_FALSE(unknown);
    EXPECT_TRUE(unknown.error().code == Errc::outcome_unknown ||
                unknown.error().code == Errc::unavailable)
        << unknown.error().message();
    EXPECT_EQ(seen().size(), is_executed ? 1u : 0u);
    EXPECT_EQ(mutex().drop(claim, soon()).has_value(), is_executed);
    EXPECT_TRUE(seen().empty());
  }
}

TEST_P(SentCalls, ThatAreDestroyedAreAsAfterALostReply) {
  for (int i = 0; i < 20; ++i) {
    const Claim claim{.ticket = next_ticket()};
    attempt(claim).reset();
    if (i % 2 == 0) {
      const auto verdict = mutex().attempt(claim, nullptr, soon());
      ASSERT_TRUE(is_sent<Granted>(verdict)) << verdict.error().message();
      EXPECT_EQ(seen().size(), 1u);
      drop(claim).reset();
    }
    const auto dropped = mutex().drop(claim, soon());
    ASSERT_TRUE(dropped || dropped.error().code == Errc::not_held)
        << dropped.error().message();
    EXPECT_TRUE(seen().empty());
  }
  ClaimLock last(observer(), address());
  EXPECT_TRUE(last.begin());
  EXPECT_TRUE(last.release());
  EXPECT_TRUE(seen().empty());
}

TEST_P(SentCalls, AreNotSentWithoutAConnection) {
  engine().faults()->unreachable(true);
  std::vector<Claim> tried;  // The end of the connection may be noticed by a call.
  ASSERT_TRUE(eventually([&] {
    tried.push_back({.ticket = next_ticket()});
    const auto call = calls().send_attempt(tried.back());
    if (call != nullptr) (void)call->take(soon());
    return call == nullptr;
  }));
  const Claim unsent = tried.back();
  tried.pop_back();
  EXPECT_EQ(calls().send_drop(unsent), nullptr);
  engine().faults()->unreachable(false);
  for (const Claim& each : tried) {
    EXPECT_TRUE(eventually([&] {
      const auto dropped = mutex().drop(each, soon());
      return dropped || dropped.error().code == Errc::not_held;
    }));
  }
  const auto again = observer().session().bind(address()).value();
  ASSERT_TRUE(eventually([&] { return again->survey(1, soon()).has_value(); }));
  EXPECT_TRUE(seen().empty());

  ASSERT_TRUE(eventually(
      [&] { return is_sent<Granted>(mutex().attempt(unsent, nullptr, soon())); }));
  EXPECT_EQ(seen().size(), 1u);
  EXPECT_TRUE(drop(unsent)->take(soon()));
  EXPECT_TRUE(seen().empty());
}

}  // namespace
}  // namespace holdfast::test

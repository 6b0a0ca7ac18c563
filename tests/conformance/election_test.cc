// SPDX-License-Identifier: Apache-2.0

// An Election has one leader among its candidates. The waiting for leadership is in
// blocking_primitives_test.cc.

#include "holdfast/election.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Elections : public Conformance {
 protected:
  Election candidate() { return {open(), name("a")}; }
};
HOLDFAST_CONFORMANCE(Elections);

TEST_P(Elections, HaveOneLeaderThatAllCanSee) {
  auto one = candidate();
  auto other = candidate();
  EXPECT_FALSE(other.leader().value());
  EXPECT_FALSE(one.is_leader());
  ASSERT_TRUE(one.campaign("host-1:80"));
  EXPECT_TRUE(one.is_leader());
  EXPECT_FALSE(one.lost().stop_requested());
  const auto seen = other.leader().value();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->payload, "host-1:80");
  EXPECT_EQ(seen->token, one.token());
  EXPECT_FALSE(other.campaign("host-2:80", {.wait = Timeout::zero()}));
  EXPECT_FALSE(other.is_leader());

  const auto again = one.campaign("again");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::bad_argument);
  EXPECT_TRUE(one.resign());
  EXPECT_FALSE(one.is_leader());
  EXPECT_TRUE(one.lost().stop_requested());
  const auto twice = one.resign();
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::not_held);
  ASSERT_TRUE(other.campaign("host-2:80", {.wait = Timeout::zero()}));
  EXPECT_EQ(one.leader().value()->payload, "host-2:80");
}

TEST_P(Elections, ShowTheClientsPayloadWithoutOneOfTheirOwn) {
  auto one = candidate();
  ASSERT_TRUE(one.campaign());
  EXPECT_FALSE(one.leader().value()->payload.empty());
}

TEST_P(Elections, LetTheLeaderProclaim) {
  auto one = candidate();
  const auto refused = one.proclaim("x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_held);
  ASSERT_TRUE(one.campaign("first"));
  const FencingToken token = one.token();
  ASSERT_TRUE(one.proclaim("second"));
  EXPECT_EQ(candidate().leader().value()->payload, "second");
  EXPECT_EQ(one.token(), token);
  EXPECT_TRUE(one.resign());
}

TEST_P(Elections, AreToldToObservers) {
  auto one = candidate();
  auto other = candidate();
  std::mutex guard;
  std::vector<std::string> told;
  const auto saw = [&](const std::string& what) {
    return eventually([&] {
      std::scoped_lock lock(guard);
      return !told.empty() && told.back() == what;
    });
  };
  auto observer = candidate();
  const auto news = observer.observe([&](const std::optional<Leader>& leader) {
    std::scoped_lock lock(guard);
    told.push_back(leader ? leader->payload : "none");
  });
  ASSERT_TRUE(news);
  EXPECT_TRUE(saw("none"));
  ASSERT_TRUE(one.campaign("one"));
  EXPECT_TRUE(saw("one"));
  ASSERT_TRUE(one.proclaim("still one"));
  EXPECT_TRUE(saw("still one"));
  ASSERT_TRUE(one.resign());
  EXPECT_TRUE(saw("none"));
  ASSERT_TRUE(other.campaign("other"));
  EXPECT_TRUE(saw("other"));
}

TEST_P(Elections, RunWorkWhileLeading) {
  auto one = candidate();
  auto other = candidate();
  bool led = false;
  const auto done = one.lead(
      [&](const std::stop_token& over) {
        led = one.is_leader() && !over.stop_requested();
        EXPECT_EQ(other.leader().value()->payload, "worker");
      },
      "worker");
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_TRUE(led);
  EXPECT_FALSE(one.is_leader());
  EXPECT_FALSE(other.leader().value());
}

TEST_P(Elections, ResignWhenTheWorkThrows) {
  auto one = candidate();
  auto other = candidate();
  EXPECT_THROW(
      (void)one.lead([](const std::stop_token&) { throw std::runtime_error("no"); }),
      std::runtime_error);
  EXPECT_FALSE(one.is_leader());
  EXPECT_TRUE(other.campaign("next", {.wait = patience()}));
}

TEST_P(Elections, EndTheWorkWhenTheCallerStops) {
  auto one = candidate();
  std::stop_source stop;
  const auto done = one.lead(
      [&](const std::stop_token& over) {
        stop.request_stop();
        EXPECT_TRUE(over.stop_requested());
      },
      "worker", {.stop = stop.get_token()});
  EXPECT_TRUE(done);
  const auto cancelled = one.lead([](const std::stop_token&) { FAIL(); }, "worker",
                                  {.stop = stop.get_token()});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::cancelled);
}

TEST_P(Elections, EndTheWorkWhenTheLeadershipIsLost) {
  Election one(open(), name("a"), LeaseOptions::fixed(scaled(150ms)));
  const auto done = one.lead([](const std::stop_token& over) {
    EXPECT_TRUE(eventually([&] { return over.stop_requested(); }));
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::not_held);
}

TEST_P(Elections, CandidatesOfOneClientAreToldApart) {
  const Client client = open();
  Election one(client, name("a"));
  Election other(client, name("a"));
  ASSERT_TRUE(one.campaign("one"));
  auto second = std::async(std::launch::async, [&] {
    return other.campaign("other", {.wait = patience()}).has_value();
  });
  EXPECT_TRUE(throughout(scaled(30ms), [&] { return !other.is_leader(); }));
  ASSERT_TRUE(one.resign());
  ASSERT_TRUE(second.get());
  EXPECT_EQ(candidate().leader().value()->payload, "other");
}

}  // namespace
}  // namespace holdfast::test

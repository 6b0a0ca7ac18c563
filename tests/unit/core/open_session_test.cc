// SPDX-License-Identifier: Apache-2.0

#include "core/open_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "holdfast/client_options.h"
#include "holdfast/counter.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// An engine that cannot be reached by the first `failures` calls.
class LateEngine final : public engine::Engine {
 public:
  LateEngine(int failures, Errc why) : failures_(failures), why_(why) {}
  std::string_view scheme() const noexcept override { return "late"; }
  Result<std::unique_ptr<engine::Session>> open(
      const engine::SessionOptions& options) override {
    last = options;
    if (++tries < failures_ + 1) return Failure(why_, "no server at h:1");
    return test::FakeEngine(world_).open(options);
  }
  int tries = 0;
  engine::SessionOptions last;  // those of the last try

 private:
  const int failures_;
  const Errc why_;
  std::shared_ptr<test::FakeWorld> world_ = test::make_world(test::Sort::plain);
};

Result<std::unique_ptr<engine::Session>> open_late(LateEngine& engine,
                                                   const RetryPolicy& retry) {
  engine::SessionOptions options;
  options.retry = retry;
  return open_session(engine, options);
}

TEST(OpenSessionTest, TriesAgainUntilItIsReached) {
  LateEngine engine(3, Errc::unavailable);
  EXPECT_TRUE(open_late(engine, {.base = 1ms, .times = 3}));
  EXPECT_EQ(engine.tries, 4);
}

TEST(OpenSessionTest, GivesUpAfterTheLastTryAndSaysSo) {
  LateEngine engine(100, Errc::unavailable);
  const auto session = open_late(engine, {.base = 1ms, .times = 3});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Errc::unavailable);
  EXPECT_THAT(session.error().message(), HasSubstr("no server at h:1; tried 4 times"));
  EXPECT_EQ(engine.tries, 4);
}

TEST(OpenSessionTest, TriesOnceByDefault) {
  LateEngine engine(100, Errc::unavailable);
  const auto session = open_late(engine, {});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message(), "no server at h:1");
  EXPECT_EQ(engine.tries, 1);
}

TEST(OpenSessionTest, DoesNotRepeatAPermanentError) {
  LateEngine engine(100, Errc::denied);
  EXPECT_FALSE(open_late(engine, {.base = 1ms, .times = 3}));
  EXPECT_EQ(engine.tries, 1);
}

TEST(OpenSessionTest, ANodeHasAPolicyOfItsOwn) {
  auto late = std::make_unique<LateEngine>(2, Errc::unavailable);
  const LateEngine& engine = *late;
  const auto uri = base::parse_uri("redis://a?retry_base=1ms&retry_times=2").value();
  const auto retrying = with_retry(std::move(late), uri);
  EXPECT_TRUE(retrying->open({}));
  EXPECT_EQ(engine.tries, 3);
  EXPECT_EQ(engine.last.retry.base, 1ms);
}

TEST(OpenSessionTest, ANodePausesAsTheClientDoesUnlessItsUrlSaysOtherwise) {
  auto late = std::make_unique<LateEngine>(100, Errc::unavailable);
  const LateEngine& engine = *late;
  const auto node = with_retry(std::move(late), base::parse_uri("redis://a").value());
  engine::SessionOptions options;
  options.retry = {.base = 123ms, .times = 7};
  EXPECT_FALSE(node->open(options));
  EXPECT_EQ(engine.last.retry.base, 123ms);
  EXPECT_EQ(engine.tries, 1) << "a node that is down must not keep its thread";
}

class RetriedCallTest : public testing::Test {
 protected:
  Client open(const RetryPolicy& retry) {
    return Client::over(std::make_unique<test::FakeEngine>(world),
                        {.ttl = test::patience(), .retry = retry})
        .value();
  }
  const std::shared_ptr<test::FakeWorld> world =
      test::make_world(test::Sort::leased_with_gate);
};

TEST_F(RetriedCallTest, EndsAfterTheLastTryLongBeforeItsTime) {
  Client client = open({.base = 1ms, .times = 3});
  Counter counter(client, "c");
  Mutex mutex(client, "m");
  world->faults.unreachable = true;

  const int before = world->calls.registers;
  const auto value = counter.get();
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, Errc::unavailable);
  EXPECT_THAT(value.error().message(), HasSubstr("tried 4 times in"));
  EXPECT_EQ(world->calls.registers - before, 4);

  const auto hold = mutex.acquire();
  ASSERT_FALSE(hold);
  EXPECT_EQ(hold.error().code, Errc::unavailable);
  EXPECT_THAT(hold.error().message(), HasSubstr("tried 4 times in"));
}

TEST_F(RetriedCallTest, IsAnsweredWhenTheServerIsBackInBetween) {
  Client client = open({.base = 1ms, .times = 3});
  Counter counter(client, "c");
  world->faults.lose_requests = 3;
  EXPECT_TRUE(counter.get());
}

TEST_F(RetriedCallTest, RefusesABadPolicy) {
  for (const RetryPolicy& bad : {RetryPolicy{.base = 0ms}, RetryPolicy{.base = 2h},
                                 RetryPolicy{.base = 1ms, .times = -1}}) {
    const auto client =
        Client::over(std::make_unique<test::FakeEngine>(world), {.retry = bad});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code, Errc::bad_argument);
  }
}

}  // namespace
}  // namespace holdfast::core

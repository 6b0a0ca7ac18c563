// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stop_token>
#include <thread>

#include "holdfast/counter.h"
#include "holdfast/mutex.h"
#include "holdfast/testing.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

ClientOptions silent(std::chrono::milliseconds ttl = 30s) {
  ClientOptions options;
  options.ttl = ttl;
  options.log = [](LogLevel, std::string_view) {};
  return options;
}

TEST(TestServerTest, ItsClientsExcludeEachOther) {
  const TestServer server;
  Mutex ours(server.client(silent()).value(), "a");
  Mutex theirs(server.client(silent()).value(), "a");
  const auto hold = ours.acquire();
  ASSERT_TRUE(hold);
  EXPECT_EQ(theirs.acquire({.wait = 0s}).error().code, Errc::timed_out);
}

TEST(TestServerTest, AHoldThatIsEndedIsToldAtOnceAndPassesOn) {
  TestServer server;
  Mutex ours(server.client(silent()).value(), "a");
  Mutex theirs(server.client(silent()).value(), "a");
  const auto hold = ours.acquire();
  std::promise<void> told;
  const std::stop_callback callback(hold->lost(), [&] { told.set_value(); });
  EXPECT_EQ(server.end_holds("b"), 0u);
  EXPECT_TRUE(hold->valid());
  EXPECT_EQ(server.end_holds("a"), 1u);
  EXPECT_EQ(told.get_future().wait_for(scaled(5s)), std::future_status::ready);
  EXPECT_FALSE(hold->valid());
  const auto next = theirs.acquire({.wait = scaled(5s)});
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), hold->token());
}

TEST(TestServerTest, WhileItCannotBeReachedLeasesEnd) {
  TestServer server;
  const Client client = server.client(silent(scaled(300ms))).value();
  Mutex mutex(client, "a");
  const auto hold = mutex.acquire();
  std::promise<void> told;
  const std::stop_callback callback(hold->lost(), [&] { told.set_value(); });
  server.set_reachable(false);
  EXPECT_EQ(server.client(silent()).error(), Errc::unavailable);
  EXPECT_EQ(told.get_future().wait_for(scaled(5s)), std::future_status::ready);
  server.set_reachable(true);
  EXPECT_TRUE(mutex.acquire({.wait = scaled(5s)}));
}

TEST(TestServerTest, LostRepliesAndRequestsAreAskedForAgain) {
  TestServer server;
  Counter counter(server.client(silent()).value(), "n");
  server.lose_replies(1);
  EXPECT_EQ(counter.add(1).value().after, 1);
  server.lose_requests(1);
  EXPECT_EQ(counter.add(1).value().after, 2);
}

TEST(TestServerTest, AReleaseHangsUntilItIsResumed) {
  TestServer server;
  Mutex mutex(server.client(silent()).value(), "a");
  auto hold = mutex.acquire();
  server.hang("a");
  std::atomic<bool> released = false;
  std::jthread releasing([&] {
    EXPECT_TRUE(hold->release());
    released = true;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(released);
  server.resume();
  releasing.join();
  EXPECT_TRUE(released);
}

TEST(TestServerTest, EveryCallIsDelayed) {
  TestServer server;
  Mutex mutex(server.client(silent()).value(), "a");
  server.set_delay(30ms);
  const auto start = Clock::now();
  EXPECT_TRUE(mutex.acquire());
  EXPECT_GE(Clock::now() - start, 30ms);
}

TEST(TestServerTest, ItLivesAsLongAsItsClients) {
  Mutex mutex(TestServer().client(silent()).value(), "a");
  EXPECT_TRUE(mutex.acquire());
}

}  // namespace
}  // namespace holdfast::test

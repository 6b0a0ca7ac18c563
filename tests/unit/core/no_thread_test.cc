// SPDX-License-Identifier: Apache-2.0

// Without a thread from the system there is an error or a loss, but never a crash.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "holdfast/client_options.h"
#include "holdfast/election.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_count.h"
#include "support/eventually.h"
#include "support/no_threads.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::NoThreads;
using test::scaled;
using test::Sort;

TEST(NoThreadTest, AHoldThatCannotBeKeptIsLost) {
  const auto world = test::make_world(Sort::plain);
  Client client = test::join(world);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  {
    const NoThreads none;
    EXPECT_FALSE(hold.valid());
    EXPECT_TRUE(hold.lost().stop_requested());
  }
  EXPECT_EQ(hold.release().error().code, Errc::not_held);
  client.close();
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST(NoThreadTest, ALightHoldThatCannotBeKeptIsLost) {
  const auto world = test::make_world(Sort::plain);
  Client client = test::join(world);
  Mutex mutex(client, "a");
  mutex.lock();
  {
    const NoThreads none;
    EXPECT_TRUE(mutex.lost().stop_requested());
  }
  mutex.unlock();
  client.close();
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST(NoThreadTest, ALeaseThatCannotBeRenewedIsNotTaken) {
  const auto world = test::make_world(Sort::leased_with_gate);
  Client client = test::join(world);
  Mutex mutex(client, "a");
  {
    const NoThreads none;
    const auto hold = mutex.acquire();
    ASSERT_FALSE(hold);
    EXPECT_EQ(hold.error().code, Errc::full);
    EXPECT_EQ(
        hold.error().message(),
        "the system has no thread or no memory to renew \"a\": raise the limit of "
        "threads, or free some memory");
  }
  EXPECT_EQ(test::places(world, "a"), 0u);
  EXPECT_TRUE(mutex.acquire({.wait = Timeout::zero()}))
      << "the turn of the gate was not given back";
}

TEST(NoThreadTest, ALossIsToldWhenThereIsAThreadAgain) {
  const auto world = test::make_world(Sort::leased);
  Client client = test::join(world);
  Mutex mutex(client, "a", LeaseOptions::fixed(scaled(50ms)));
  const auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  {
    const NoThreads none;
    ASSERT_TRUE(eventually([&] { return !hold.valid(); }));
    EXPECT_TRUE(test::throughout(scaled(50ms), [&] { return !lost.stop_requested(); }));
  }
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST(NoThreadTest, AnAsynchronousCallWithoutARunnerIsAnError) {
  const auto world = test::make_world(Sort::leased_with_gate);
  Client client = test::join(world);
  Mutex mutex(client, "a");
  std::vector<std::error_code> told;
  const auto tell = [&](const Result<Hold>& hold) {
    told.push_back(hold ? std::error_code() : hold.error().code);
  };
  {
    const NoThreads none;
    mutex.acquire_async(tell);
  }
  EXPECT_EQ(told, std::vector<std::error_code>{Errc::full}) << "inside the call";
  EXPECT_EQ(test::places(world, "a"), 0u);
  mutex.acquire_async(tell);
  client.close();  // waits for the completion
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told.back(), Errc::full) << "there is a thread again";
}

TEST(NoThreadTest, AnAsynchronousCallWithoutARunnerGoesToTheExecutor) {
  const auto world = test::make_world(Sort::plain);
  std::vector<std::function<void()>> posted;
  ClientOptions options;
  options.executor = [&](std::function<void()> task) {
    posted.push_back(std::move(task));
  };
  Client client =
      Client::over(std::make_unique<test::FakeEngine>(world), options).value();
  Mutex mutex(client, "a");
  std::error_code told;
  {
    const NoThreads none;
    mutex.acquire_async([&](const Result<Hold>& hold) { told = hold.error().code; });
  }
  EXPECT_FALSE(told) << "never inside the call";
  ASSERT_EQ(posted.size(), 1u);
  posted.front()();
  EXPECT_EQ(told, Errc::full);
}

TEST(NoThreadTest, ASubscriptionThatCannotBeServedIsAnErrorAndLeavesNothing) {
  const auto world = test::make_world(Sort::plain);
  Client client = test::join(world);
  SharedCount count(client, "a");
  Election election(client, "b");
  bool told = false;
  {
    const NoThreads none;
    const auto changes = count.on_change([&](const Versioned&) { told = true; });
    ASSERT_FALSE(changes);
    EXPECT_EQ(changes.error().code, Errc::full);
    EXPECT_EQ(changes.error().message(),
              "the system has no thread to watch \"a\": raise the limit of threads, or "
              "end some of them");
    const auto leaders =
        election.observe([&](const std::optional<Leader>&) { told = true; });
    ASSERT_FALSE(leaders);
    EXPECT_EQ(leaders.error().code, Errc::full);
  }
  // A later subscription starts the thread, which must not know the listeners above.
  std::atomic<std::int64_t> number = 0;
  const auto changes =
      count.on_change([&](const Versioned& now) { number = now.number; }).value();
  ASSERT_TRUE(count.set(7));
  EXPECT_TRUE(eventually([&] { return number == 7; }));
  client.close();
  EXPECT_FALSE(told);
}

TEST(NoThreadTest, AClientThatCannotBeOpenedIsAnError) {
  struct Exhausted final : engine::Engine {
    std::string_view scheme() const noexcept override { return "exhausted"; }
    Result<std::unique_ptr<engine::Session>> open(
        const engine::SessionOptions&) override {
      const test::NoThreads none;
      std::thread([] {}).join();
      return Errc::internal;
    }
  };
  const auto client = Client::over(std::make_unique<Exhausted>());
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::full);
  EXPECT_EQ(client.error().message(),
            "the system has no thread to open a client: raise the limit of threads, or "
            "end some of them");
}

}  // namespace
}  // namespace holdfast::core

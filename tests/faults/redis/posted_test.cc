// SPDX-License-Identifier: Apache-2.0

// Asynchronous calls while requests, replies and connections are lost.

#include <future>
#include <stop_token>
#include <vector>

#include "faults/redis/lost_calls.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "support/awaited.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

class RedisPosted : public RedisLostCalls {
 protected:
  static Result<Hold> acquire(Mutex& mutex, WaitOptions options) {
    return awaited<Hold>([&](Completion<Hold> done) {
      mutex.acquire_async(std::move(options), std::move(done));
    });
  }
  static Result<void> release(Hold& hold) {
    return awaited<void>(
        [&](Completion<void> done) { hold.release_async(std::move(done)); });
  }
};

TEST_F(RedisPosted, ALockAndAnUnlock) {
  const Client client = open();
  everywhere(calls_, Kind::mutex, [&](const std::string& name) {
    FencingToken last;
    for (int i = 0; i < 2; ++i) {
      Mutex mutex(client, name);
      auto hold = acquire(mutex, {.wait = patience()});
      ASSERT_TRUE(hold) << hold.error().message();
      EXPECT_TRUE(hold->valid());
      EXPECT_GT(hold->token(), last);
      last = hold->token();
      calls_.compare(name, *hold);
      const auto released = release(*hold);
      if (!released) {
        EXPECT_EQ(released.error().code, Errc::outcome_unknown)
            << released.error().message();
      }
    }
  });
}

TEST_F(RedisPosted, AWait) {
  const Client first = open();
  const Client second = open();
  everywhere(calls_, Kind::mutex, [&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    auto held = acquire(holder, {.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    std::promise<Result<Hold>> told;
    waiter.acquire_async({.wait = patience()},
                         [&](Result<Hold> hold) { told.set_value(std::move(hold)); });
    EXPECT_TRUE(calls_.on.has_claims({Kind::mutex, name}, 2));
    (void)release(*held);
    auto entered = told.get_future().get();
    ASSERT_TRUE(entered) << entered.error().message();
    (void)release(*entered);
  });
}

TEST_F(RedisPosted, AWaitThatIsGivenUp) {
  const Client first = open();
  const Client second = open();
  everywhere(calls_, Kind::mutex, [&](const std::string& name) {
    Mutex holder(first, name);
    Mutex waiter(second, name);
    const auto held = acquire(holder, {.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    ASSERT_FALSE(acquire(waiter, {.wait = scaled(100ms)}));
    EXPECT_TRUE(calls_.on.has_claims({Kind::mutex, name}, 1));
  });
}

// Many calls are under way when the connection is cut.
TEST_F(RedisPosted, ManyOutliveACut) {
  const Client client = open();
  constexpr int kCalls = 64;
  std::vector<std::promise<Result<Hold>>> told(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    if (i == kCalls / 2) line_.cut_all();
    Mutex mutex(client, "many-" + std::to_string(i));
    mutex.acquire_async({.wait = patience()}, [&told, i](Result<Hold> hold) {
      told[static_cast<std::size_t>(i)].set_value(std::move(hold));
    });
  }
  std::vector<Hold> holds;
  for (auto& each : told) {
    auto hold = each.get_future().get();
    ASSERT_TRUE(hold) << hold.error().message();
    holds.push_back(*std::move(hold));
  }
  for (Hold& hold : holds) {
    const auto released = release(hold);
    EXPECT_TRUE(released) << released.error().message();
  }
  for (int i = 0; i < kCalls; ++i) {
    EXPECT_TRUE(calls_.on.has_claims({Kind::mutex, "many-" + std::to_string(i)}, 0));
  }
}

// The server does not know the scripts any more.
TEST_F(RedisPosted, ForgottenScriptsAreSent) {
  const Client client = open();
  for (int i = 0; i < 3; ++i) {
    server_.command({"SCRIPT", "FLUSH"});
    Mutex mutex(client, "a");
    auto hold = acquire(mutex, {});
    ASSERT_TRUE(hold) << hold.error().message();
    server_.command({"SCRIPT", "FLUSH"});
    EXPECT_TRUE(release(*hold));
  }
}

// A waiter that gives up has left the queue when its call is done, although its drop
// had to be sent once more: the next release would otherwise go to the waiter that is
// gone.
TEST_F(RedisPosted, AWaiterLeavesTheQueueThoughItsScriptIsForgotten) {
  const Client first = open();
  const Client second = open();
  for (int i = 0; i < 20; ++i) {
    Semaphore holder(first, "a", 1);
    Semaphore waiter(second, "a");
    auto held = holder.acquire();
    ASSERT_TRUE(held) << held.error().message();
    std::stop_source stop;
    std::promise<Result<Permits>> told;
    waiter.acquire_async({.stop = stop.get_token()}, [&](Result<Permits> permits) {
      told.set_value(std::move(permits));
    });
    ASSERT_TRUE(calls_.on.has_claims({Kind::semaphore, "a"}, 2));
    server_.command({"SCRIPT", "FLUSH"});
    stop.request_stop();
    EXPECT_EQ(told.get_future().get().error().code, Errc::cancelled);
    ASSERT_TRUE(held->release());
    const auto next = holder.acquire({.wait = Timeout::zero()});
    ASSERT_TRUE(next) << next.error().message();
  }
}

// A call that is free of trouble is one command, and so is its release.
TEST_F(RedisPosted, APairIsTwoCommands) {
  const Client client = open();
  Mutex mutex(client, "a");
  constexpr int kPairs = 10;
  const auto pair = [&] {
    auto hold = acquire(mutex, {});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(release(*hold));
  };
  pair();
  const int before = calls();
  for (int i = 0; i < kPairs; ++i) pair();
  EXPECT_EQ(calls() - before, 2 * kPairs);
}

}  // namespace
}  // namespace holdfast::test

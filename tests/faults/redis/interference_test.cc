// SPDX-License-Identifier: Apache-2.0

// What an operator can do to a server in use: forget the scripts, cut connections.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Interference : public testing::Test {
 protected:
  Client open() const { return open_quietly(server_.url()); }

  void cut(const std::string& type) {
    server_.command({"CLIENT", "KILL", "TYPE", type, "SKIPME", "yes"});
  }
  bool has_subscriber() const {
    return !server_.command({"CLIENT", "LIST", "TYPE", "pubsub"}).empty();
  }

  std::shared_future<Entered> wait_until_subscribed(Mutex& mutex) {
    auto entered = wait_for(mutex);
    EXPECT_TRUE(has_claims(server_, {engine::Kind::mutex, "a"}, 2));
    EXPECT_TRUE(eventually([this] { return has_subscriber(); }));
    return entered;
  }

  RedisServer server_;
};

TEST_F(Interference, OfRenewalsThereIsNone) {
  expect_renewals_side_by_side(open());
  EXPECT_EQ(left_behind(server_), "");
}

TEST_F(Interference, ForgottenScriptsAreSentAgain) {
  const Client client = open();
  Mutex mutex(client, "a");
  const auto forget = [&] { EXPECT_EQ(server_.command({"SCRIPT", "FLUSH"}), "OK"); };
  for (int i = 0; i < 3; ++i) {
    forget();
    auto hold = mutex.acquire({.wait = Timeout::zero()});
    ASSERT_TRUE(hold) << hold.error().message();
    forget();
    EXPECT_TRUE(hold->release());
  }
  EXPECT_EQ(left_behind(server_), "");
}

// A call whose deadline has passed does not wait for the answer, and so cannot learn
// that the server does not know its script. On a busy machine the answer may be there
// at once.
TEST_F(Interference, ForgottenScriptsAreSentAlsoWithAPassedDeadline) {
  const Client client = open();
  const auto mutex = client.session().bind({engine::Kind::mutex, "a"}).value();
  const engine::Claim claim{.ticket = next_ticket()};
  const auto exists = [&] { return server_.command({"EXISTS", "a"}); };
  EXPECT_EQ(server_.command({"SCRIPT", "FLUSH"}), "OK");
  (void)mutex->attempt(claim, nullptr, engine::Deadline::min());
  EXPECT_TRUE(eventually([&] { return exists() == "1"; }));
  EXPECT_EQ(server_.command({"SCRIPT", "FLUSH"}), "OK");
  (void)mutex->drop(claim, engine::Deadline::min());
  EXPECT_TRUE(eventually([&] { return exists() == "0"; }));
}

TEST_F(Interference, ScriptsMayBeForgottenAtAnyTime) {
  std::atomic<bool> done{false};
  std::atomic<int> grants{0};
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, client = open()] {
      Mutex mutex(client, "a");
      while (!done) {
        auto hold = mutex.acquire({.wait = patience()});
        if (!hold) {
          ADD_FAILURE() << hold.error().message();
          return;
        }
        ++grants;
        EXPECT_TRUE(hold->release());
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    const int before = grants;
    ASSERT_TRUE(eventually([&] { return grants > before; }));
    server_.command({"SCRIPT", "FLUSH"});
  }
  done = true;
}

TEST_F(Interference, ACutRequestConnectionIsMadeAnew) {
  const Client client = open();
  Mutex mutex(client, "a");
  for (int i = 0; i < 5; ++i) {
    cut("normal");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    cut("normal");
    const auto released = hold->release();
    if (!released) {
      EXPECT_EQ(released.error().code, Errc::outcome_unknown)
          << released.error().message();
    }
  }
  EXPECT_TRUE(eventually([this] { return left_behind(server_).empty(); }))
      << left_behind(server_);
}

TEST_F(Interference, AHoldOutlivesItsConnection) {
  const auto ttl = scaled(1s);
  const Client client = open_quietly(server_.url(), ttl);
  Mutex mutex(client, "a");
  const auto hold = mutex.acquire().value();
  for (int i = 0; i < 10; ++i) {
    cut("normal");
    EXPECT_TRUE(throughout(ttl / 4, [&] { return hold.valid(); }));
  }
}

TEST_F(Interference, ACutSubscriberIsMadeAnew) {
  Mutex holder(open(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_until_subscribed(waiter);
  for (int i = 0; i < 3; ++i) {
    cut("pubsub");
    EXPECT_TRUE(eventually([this] { return has_subscriber(); }));
  }
  const auto released = Clock::now();
  holder.unlock();
  EXPECT_LT(entered.get().at - released, scaled(2s)) << "the lease is 30 s";
}

TEST_F(Interference, AReleaseThatNoWaiterHeardIsFoundOut) {
  Mutex holder(open(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_until_subscribed(waiter);
  cut("pubsub");
  const auto released = Clock::now();
  holder.unlock();
  EXPECT_LT(entered.get().at - released, scaled(4s)) << "the lease is 30 s";
}

// A holder that has been renewed listens: an operator's unlock need not wait for the
// next renewal.
TEST_F(Interference, AnEvictedHolderIsToldAtOnce) {
  const auto ttl = scaled(6s);
  const Client client = open_quietly(server_.url(), ttl);
  const auto hold = Mutex(client, "a").acquire().value();
  ASSERT_TRUE(eventually([this] { return has_subscriber(); })) << "after a renewal";
  const Client operators = open();
  const auto resource = operators.session().bind({engine::Kind::mutex, "a"}).value();
  const std::string owner = resource->survey(1, soon()).value().at(0).owner;
  const auto start = Clock::now();
  ASSERT_TRUE(resource->evict(owner, soon()));
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LT(Clock::now() - start, ttl / 6);
}

}  // namespace
}  // namespace holdfast::test

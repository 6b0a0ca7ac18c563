// SPDX-License-Identifier: Apache-2.0

// The waiters in a queue of ours: how many there may be, and which of them live.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;
using engine::Mode;

// An entry lives for 15 s at the server, whatever the scale of the test: one whose
// owner was killed must not be waited for so long.
constexpr auto kLessThanAPlaceLives = 10s;

class RedisQueues : public testing::Test {
 protected:
  using Locks = std::vector<std::unique_ptr<ClaimLock>>;

  std::unique_ptr<ClaimLock> lock(const engine::Address& at, engine::Claim like) {
    return std::make_unique<ClaimLock>(client_, at, like);
  }

  Locks queue(const engine::Address& at, const engine::Claim& like, int number) {
    Locks all;
    for (int i = 0; i < number; ++i) {
      all.push_back(lock(at, like));
      EXPECT_FALSE(all.back()->begin());
    }
    return all;
  }

  // What one attempt more has the server read: keys of records and entries.
  long reads(const std::function<void()>& attempt) {
    EXPECT_EQ(server_.command({"CONFIG", "RESETSTAT"}), "OK");
    attempt();
    return server_.calls("get") + server_.calls("exists") + 16 * server_.calls("mget");
  }

  // Waits in another process, which is killed then.
  void kill_one_who_waits(const engine::Address& at, const std::string& claim,
                          std::size_t others) {
    Victim victim(server_.url());
    victim.tell("claim " + claim);
    ASSERT_TRUE(has_claims(server_, at, others + 1));
    victim.kill();
  }

  RedisServer server_;
  const Client client_ = open_quietly(server_.url());
};

TEST_F(RedisQueues, AnAttemptCostsTheSameHoweverManyWait) {
  const engine::Address at{Kind::semaphore, "s"};
  const auto holder = lock(at, {.capacity = 2});
  ASSERT_TRUE(holder->begin());
  const auto large = lock(at, {.permits = 2, .capacity = 2});
  ASSERT_FALSE(large->begin());
  const auto many = queue(at, {.capacity = 2}, 300);
  const auto newcomer = lock(at, {.capacity = 2});
  EXPECT_LT(reads([&] { EXPECT_FALSE(newcomer->begin()); }), 100) << "one is free";
  EXPECT_LT(reads([&] { EXPECT_FALSE(many.back()->again()); }), 100) << "the last";
  EXPECT_LT(reads([&] { EXPECT_FALSE(large->again()); }), 100) << "the first";
  EXPECT_LT(reads([&] { EXPECT_TRUE(newcomer->release()); }), 100) << "gives up";
  EXPECT_LT(reads([&] { EXPECT_TRUE(holder->release()); }), 100) << "lets one in";
}

TEST_F(RedisQueues, AReaderLooksAtAFewWaitersAheadOfIt) {
  const engine::Address at{Kind::shared_mutex, "s"};
  const auto writer = lock(at, {});
  ASSERT_TRUE(writer->begin());
  const auto readers = queue(at, {.mode = Mode::shared}, 300);
  ASSERT_TRUE(writer->release());
  EXPECT_LT(reads([&] { EXPECT_FALSE(readers.back()->again()); }), 200);
  EXPECT_LT(reads([&] { EXPECT_TRUE(readers.front()->again()); }), 200);
}

TEST_F(RedisQueues, APartyLooksAtNoOtherUntilAllCanBeThere) {
  const engine::Address at{Kind::double_barrier, "b"};
  const auto many = queue(at, {.capacity = 300}, 200);
  EXPECT_LT(reads([&] { EXPECT_FALSE(many.front()->again()); }), 10);
}

// More come to the front of the queue at once than are woken by the release.
template <class Take>
void expect_all_in(int number, Take take, const std::function<void()>& release,
                   const std::function<testing::AssertionResult()>& all_wait) {
  std::atomic<int> inside{0};
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) {
    threads.emplace_back([&, i] {
      const auto hold = take(i);
      EXPECT_TRUE(hold) << hold.error().message();
      ++inside;
      EXPECT_TRUE(eventually([&] { return inside == number; }));
    });
  }
  ASSERT_TRUE(all_wait());
  const auto released = Clock::now();
  release();
  EXPECT_TRUE(eventually([&] { return inside == number; }));
  EXPECT_LT(Clock::now() - released, scaled(3s)) << "some were not woken";
}

TEST_F(RedisQueues, AllThatFitAreRung) {
  constexpr int kNumber = 150;
  Semaphore semaphore(client_, "s", kNumber);
  auto all = semaphore.acquire_many(kNumber).value();
  expect_all_in(
      kNumber, [&](int) { return semaphore.acquire({.wait = patience()}); },
      [&] { EXPECT_TRUE(all.release()); },
      [&] {
        return has_claims(server_, {Kind::semaphore, "s"}, kNumber + 1);
      });
}

TEST_F(RedisQueues, AllReadersAreRung) {
  constexpr int kNumber = 150;
  SharedMutex mutex(client_, "s");
  auto writer = mutex.acquire().value();
  expect_all_in(
      kNumber, [&](int) { return mutex.acquire_shared({.wait = patience()}); },
      [&] { EXPECT_TRUE(writer.release()); },
      [&] {
        return has_claims(server_, {Kind::shared_mutex, "s"}, kNumber + 1);
      });
}

TEST_F(RedisQueues, ManyPermitsAreHeldRenewedAndGivenBack) {
  constexpr std::uint32_t kMany = 1'500;
  const auto ttl = scaled(1s);
  Semaphore semaphore(open_quietly(server_.url(), ttl), "s", 2 * kMany);
  auto permits = semaphore.acquire_many(kMany).value();
  EXPECT_EQ(server_.command({"ZCARD", "{s}:timeout"}), std::to_string(kMany));
  EXPECT_TRUE(throughout(2 * ttl, [&] { return permits.valid(); }));
  EXPECT_TRUE(permits.release(700));
  EXPECT_EQ(server_.command({"ZCARD", "{s}:timeout"}), "800");
  EXPECT_EQ(server_.command({"GET", "s"}), "2200");
  EXPECT_TRUE(throughout(ttl, [&] { return permits.valid(); }));
  EXPECT_TRUE(permits.release());
  EXPECT_EQ(server_.command({"GET", "s"}), std::to_string(2 * kMany));
  EXPECT_EQ(left_behind(server_, {"s"}), "");
}

TEST_F(RedisQueues, MorePermitsThanAServerBearsAreRefused) {
  Semaphore semaphore(client_, "s", 4'000'000);
  ASSERT_EQ(server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "300000"}),
            "OK");
  const auto refused = semaphore.acquire_many(1'000'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument) << refused.error().message();
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  EXPECT_NE(refused.error().message().find("10000"), std::string::npos);
  EXPECT_EQ(server_.command({"SLOWLOG", "LEN"}), "0");
  EXPECT_TRUE(semaphore.acquire_many(10'000, {.wait = patience()}));
}

TEST_F(RedisQueues, AKilledWriterDoesNotKeepReadersOut) {
  SharedMutex mutex(client_, "s");
  const auto reader = mutex.acquire_shared().value();
  kill_one_who_waits({Kind::shared_mutex, "s"}, "shared_mutex s exclusive 1 0", 1);
  const auto start = Clock::now();
  const auto another = std::make_unique<SharedMutex>(open_quietly(server_.url()), "s");
  EXPECT_TRUE(another->acquire_shared({.wait = patience()}));
  EXPECT_LT(Clock::now() - start, kLessThanAPlaceLives);
}

TEST_F(RedisQueues, AKilledLargeRequestDoesNotKeepSmallOnesOut) {
  for (const std::string form : {"leased", "plain"}) {
    SCOPED_TRACE(form);
    const std::string url = server_.url("?semaphore=" + form);
    Semaphore semaphore(open_quietly(url), form, 5);
    const auto permits = semaphore.acquire_many(3).value();
    {
      Victim victim(url);
      victim.tell("claim semaphore " + form + " exclusive 4 5");
      const std::string queue = "holdfast_queue:{" + form + "}";
      ASSERT_TRUE(eventually([&] { return server_.command({"ZCARD", queue}) == "1"; }));
      victim.kill();
    }
    const auto start = Clock::now();
    EXPECT_TRUE(semaphore.acquire({.wait = patience()}));
    EXPECT_LT(Clock::now() - start, kLessThanAPlaceLives);
  }
}

// A waiter that was stopped for so long that its record is gone, and then gives up.
TEST_F(RedisQueues, AWaiterThatGivesUpLeavesNoEntryThoughItsRecordIsGone) {
  for (const Kind kind : {Kind::mutex, Kind::shared_mutex, Kind::semaphore}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const engine::Address at{kind, "a"};
    const auto holder = lock(at, {.capacity = 1});
    const auto waiter = lock(at, {.capacity = 1});
    ASSERT_TRUE(holder->begin());
    ASSERT_FALSE(waiter->begin());
    const std::string owner =
        server_.command({"ZRANGE", "holdfast_queue:{a}", "0", "0"});
    ASSERT_EQ(server_.command({"DEL", "holdfast:{a}:" + owner}), "1");
    (void)waiter->release();
    EXPECT_EQ(server_.command({"ZCARD", "holdfast_queue:{a}"}), "0");
    EXPECT_TRUE(holder->release());
    server_.command({"FLUSHALL"});
  }
}

// A hold whose own record has ended, while others keep the lock alive.
TEST_F(RedisQueues, AReaderThatComesTooLateHasATokenAllTheSame) {
  const engine::Address at{Kind::shared_mutex, "a"};
  FencingToken last;
  {
    ClaimLock writer(client_, at);
    last = writer.acquire().value();
  }
  ClaimLock late(client_, at, {.lease = 100ms, .mode = Mode::shared});
  ClaimLock stays(client_, at, {.mode = Mode::shared});
  ASSERT_TRUE(late.begin());
  ASSERT_TRUE(stays.begin());
  const std::string owner = server_.command({"HKEYS", "a"});
  ASSERT_TRUE(eventually([&] {
    const auto keys = RedisSocket(server_.port()).call({"KEYS", "holdfast:{a}:*"});
    return keys.items.size() == 1;
  })) << "its lease is over";
  const auto verdict =
      late.resource().attempt(late.claim(), client_.session().signal(), soon()).value();
  ASSERT_TRUE(std::holds_alternative<engine::Granted>(verdict)) << owner;
  EXPECT_GE(std::get<engine::Granted>(verdict).token, last);
}

TEST_F(RedisQueues, ALockWithoutItsRecordHasANewToken) {
  for (const Kind kind : {Kind::mutex, Kind::fair_mutex, Kind::shared_mutex}) {
    SCOPED_TRACE(static_cast<int>(kind));
    ClaimLock lock(client_, {kind, "a"});
    const auto first = lock.acquire().value();
    for (const Resp& key :
         RedisSocket(server_.port()).call({"KEYS", "holdfast:{a}:*"}).items) {
      ASSERT_EQ(server_.command({"DEL", key.text}), "1");
    }
    const auto verdict =
        lock.resource().attempt(lock.claim(), client_.session().signal(), soon());
    ASSERT_TRUE(verdict) << verdict.error().message();
    EXPECT_GT(std::get<engine::Granted>(*verdict).token, first);
  }
}

class RedisCapacity : public testing::Test {
 protected:
  // The capacity that a grant says, or nothing if the claim is blocked.
  std::optional<std::uint32_t> said(const engine::Claim& claim,
                                    const std::string& url_options = "") {
    const Client client = open_quietly(server_.url(url_options));
    const auto resource = client.session().bind({Kind::semaphore, "a"}).value();
    const auto verdict = resource->attempt(claim, nullptr, soon()).value();
    const auto* const granted = std::get_if<engine::Granted>(&verdict);
    if (granted == nullptr) return std::nullopt;
    return granted->capacity;
  }

 private:
  const RedisServer server_;
};

TEST_F(RedisCapacity, CountsPermitsThatHaveEnded) {
  const engine::Claim brief{
      .ticket = next_ticket(), .lease = 1ms, .permits = 2, .capacity = 3};
  const engine::Claim other{.ticket = next_ticket(), .permits = 3, .capacity = 9};
  EXPECT_EQ(said(brief), 3u);
  std::optional<std::uint32_t> then;
  EXPECT_TRUE(eventually([&] { return (then = said(other)).has_value(); }));
  EXPECT_EQ(then, 3u);
}

// What is stored is how many permits are free.
TEST_F(RedisCapacity, OfAPlainOneIsNotSaid) {
  EXPECT_EQ(said({.ticket = next_ticket(), .capacity = 3}, "?semaphore=plain"), 0u);
}

}  // namespace
}  // namespace holdfast::test

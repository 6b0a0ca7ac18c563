// SPDX-License-Identifier: Apache-2.0

// Servers that answer, and refuse: each refusal has its code and is one sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/counter.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCanary = "c4n4ry";

void expect_failure(const Failure& failure, Errc code, const std::string& says) {
  EXPECT_EQ(failure.code, code) << failure.message();
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr(says));
  EXPECT_THAT(failure.message(), Not(HasSubstr(kCanary)));
}

TEST(RedisRefusals, NoMemory) {
  const RedisServer server;
  const Client client = open_quietly(server.url());
  Mutex mutex(client, "a");
  Mutex held(client, "held");
  auto hold = held.acquire().value();
  ASSERT_EQ(server.command({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  const auto refused = mutex.acquire({.wait = patience()});
  ASSERT_FALSE(refused);
  expect_failure(refused.error(), Errc::full, "memory");
  EXPECT_TRUE(hold.release()) << "giving back needs no memory";
  EXPECT_EQ(left_behind(server), "");
  ASSERT_EQ(server.command({"CONFIG", "SET", "maxmemory", "0"}), "OK");
  EXPECT_TRUE(mutex.try_lock());
}

TEST(RedisRefusals, NoMemoryIsNeededForWhatIsHeld) {
  const RedisServer server;
  const auto ttl = scaled(1s);
  const Client client = open_quietly(server.url(), ttl);
  auto permits = Semaphore(client, "permits", 3).acquire_many(2).value();
  auto plain = Semaphore(open_quietly(server.url("?semaphore=plain"), ttl), "plain", 3)
                   .acquire_many(2)
                   .value();
  auto writer = SharedMutex(client, "writer").acquire().value();
  const auto reader = SharedMutex(client, "reader").acquire_shared().value();
  const engine::Address fair{engine::Kind::fair_mutex, "fair"};
  ClaimLock holder(client, fair, {.lease = scaled(30s)});
  ClaimLock first(client, fair);
  ClaimLock second(client, fair);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_EQ(server.command({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_TRUE(throughout(2 * ttl, [&] {
    return permits.valid() && writer.valid() && reader.valid();
  })) << "renewed";
  const auto expect_done = [](const Result<void>& done) {
    EXPECT_TRUE(done) << done.error().message();
  };
  expect_done(permits.release(1));
  expect_done(plain.release(1));
  expect_done(writer.downgrade());
  expect_done(first.release());
  expect_done(holder.release());
  EXPECT_TRUE(permits.valid() && writer.valid());
}

TEST(RedisRefusals, AReadOnlyReplica) {
  const RedisServer master;
  const RedisServer replica({"replicaof 127.0.0.1 " + std::to_string(master.port()),
                             "repl-diskless-sync yes", "repl-diskless-sync-delay 0"});
  expect_failure(first_failure(replica.url()), Errc::denied, "replica");
}

TEST(RedisRefusals, AServerThatBecomesAReplica) {
  const RedisServer master;
  const RedisServer server;
  const Client client = open_quietly(server.url());
  Mutex mutex(client, "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  ASSERT_EQ(server.command({"REPLICAOF", "127.0.0.1", std::to_string(master.port())}),
            "OK");
  const auto refused = mutex.acquire({.wait = scaled(100ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << refused.error().message();
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  ASSERT_EQ(server.command({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_TRUE(mutex.acquire({.wait = patience()}));
}

// The claims may all be on the server that is the primary now.
TEST(RedisRefusals, ARenewalAtAReplicaEndsNoHold) {
  const RedisServer server;
  const Client client = open_quietly(server.url());
  std::vector<std::shared_ptr<engine::Resource>> resources;
  std::vector<engine::Claim> claims;
  for (const engine::Kind kind :
       {engine::Kind::mutex, engine::Kind::fair_mutex, engine::Kind::shared_mutex,
        engine::Kind::semaphore, engine::Kind::double_barrier}) {
    for (const engine::Mode mode : {engine::Mode::exclusive, engine::Mode::shared}) {
      if (mode == engine::Mode::shared && kind != engine::Kind::shared_mutex) continue;
      const std::string name = std::to_string(resources.size());
      resources.push_back(client.session().bind({kind, name}).value());
      claims.push_back({.ticket = next_ticket(), .capacity = 1, .mode = mode});
      const auto verdict = resources.back()->attempt(claims.back(), nullptr, soon());
      ASSERT_TRUE(std::holds_alternative<engine::Granted>(verdict.value()));
    }
  }
  ASSERT_EQ(server.command({"REPLICAOF", "127.0.0.1", "1"}), "OK");
  std::vector<engine::ClaimRef> refs;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    claims[i].lease = 1h;
    refs.push_back({resources[i].get(), &claims[i]});
  }
  const auto renewed = client.session().renew(refs, soon());
  for (std::size_t i = 0; i < refs.size(); ++i) {
    EXPECT_NE(refs[i].outcome, Errc::not_held) << i;
    EXPECT_TRUE(!renewed || refs[i].outcome) << i << " was extended at a replica";
  }
}

TEST(RedisRefusals, AnotherTypeAtTheKey) {
  const RedisServer server;
  const Client client = open_quietly(server.url());
  ASSERT_EQ(server.command({"RPUSH", "list", "x"}), "1");
  ASSERT_EQ(server.command({"SET", "text", "not a number"}), "OK");
  ASSERT_EQ(server.command({"HSET", "hash", "f", "1"}), "1");
  for (const std::string name : {"list", "text"}) {
    const auto refused = Mutex(client, name).acquire({.wait = Timeout::zero()});
    ASSERT_FALSE(refused) << name;
    expect_failure(refused.error(), Errc::wrong_kind, name);
  }
  for (const std::string name : {"list", "text", "hash"}) {
    for (const engine::Kind kind : {engine::Kind::counter, engine::Kind::latch}) {
      const auto resource = client.session().bind({kind, name}).value();
      const auto refused = resource->add(1, next_ticket(), soon());
      ASSERT_FALSE(refused) << name;
      expect_failure(refused.error(), Errc::wrong_kind, name);
    }
  }
  for (const engine::Kind kind : {engine::Kind::fair_mutex, engine::Kind::shared_mutex,
                                  engine::Kind::semaphore}) {
    const auto resource = client.session().bind({kind, "list"}).value();
    const auto refused = resource->attempt({.ticket = next_ticket(), .capacity = 1},
                                           client.session().signal(), soon());
    ASSERT_FALSE(refused) << static_cast<int>(kind);
    EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  }
  EXPECT_EQ(left_behind(server, {"list", "text", "hash"}), "");
  EXPECT_EQ(server.command({"LRANGE", "list", "0", "-1"}), "x");
  EXPECT_EQ(server.command({"GET", "text"}), "not a number");
}

TEST(RedisRefusals, AWrongPassword) {
  const RedisServer server({"requirepass right"});
  const std::string at = "127.0.0.1:" + std::to_string(server.port());
  expect_failure(first_failure("redis://:c4n4ry@" + at), Errc::denied, at);
  expect_failure(first_failure("redis://bob:c4n4ry@" + at), Errc::denied, "bob");
  expect_failure(first_failure("redis://" + at), Errc::denied, at);
  const Client client = open_quietly("redis://:right@" + at);
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

TEST(RedisRefusals, APasswordThatWasNotAskedFor) {
  const RedisServer server;
  const std::string at = "127.0.0.1:" + std::to_string(server.port());
  ClientOptions options;
  const auto client = Client::open("redis://:c4n4ry@" + at, options);
  if (!client) expect_failure(client.error(), Errc::denied, at);
}

TEST(RedisRefusals, AUserWithoutRights) {
  const RedisServer server({"user weak on >c4n4ry ~* &* +ping +info +client +select",
                            "user fenced on >c4n4ry ~other:* &* +@all",
                            "user channelless on >c4n4ry ~* resetchannels +@all",
                            "user timeless on >c4n4ry ~* &* +@all -time",
                            // What docs/engines/redis.md says is enough.
                            ("user good on >c4n4ry ~* &* +@read +@write +@scripting "
                             "+@pubsub +@connection +info +time +wait")});
  const auto url = [&](const std::string& user) {
    return "redis://" + user + ":c4n4ry@127.0.0.1:" + std::to_string(server.port());
  };
  for (const std::string user : {"weak", "fenced", "channelless", "timeless"}) {
    SCOPED_TRACE(user);
    expect_failure(first_failure(url(user)), Errc::denied, "");
  }
  EXPECT_TRUE(Mutex(open_quietly(url("good")), "a").try_lock());
  EXPECT_EQ(left_behind(server), "");
}

TEST(RedisRefusals, AReadNamesTheServer) {
  const RedisServer server;
  const std::string at = "Redis at 127.0.0.1:" + std::to_string(server.port());
  const Client client = open_quietly(server.url());
  Counter counter(client, "n");
  ASSERT_TRUE(counter.get());
  ASSERT_EQ(server.command({"ACL", "SETUSER", "default", "-get", "-scan"}), "OK");
  const auto read = counter.get();
  ASSERT_FALSE(read);
  expect_failure(read.error(), Errc::denied, at);
  const auto page = client.session().list("", "", Clock::now() + patience());
  ASSERT_FALSE(page);
  expect_failure(page.error(), Errc::denied, at);
}

TEST(RedisRefusals, AClusterNode) {
  const RedisServer server({"cluster-enabled yes"});
  expect_failure(first_failure(server.url()), Errc::unsupported, "redis+cluster://");
}

TEST(RedisRefusals, ADatabaseThatIsNotThere) {
  const RedisServer server;
  const Failure failure = first_failure(server.url("/99"));
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("99"));
}

}  // namespace
}  // namespace holdfast::test

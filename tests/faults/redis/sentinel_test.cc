// SPDX-License-Identifier: Apache-2.0

// Servers that sentinels watch: what a client does when the primary changes, and when
// the sentinels are gone.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"
#include "support/redis_sentinel.h"
#include "support/temp_dir.h"
#include "support/tls_files.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisSentinelTest : public testing::Test {
 protected:
  Client open(std::chrono::milliseconds ttl = scaled(30s)) const {
    return open_quietly(group_.url(), ttl);
  }

  // Whether the lock of this name can be had now, which may need some tries while the
  // primary changes.
  static testing::AssertionResult works(const Client& client, const std::string& name) {
    const auto hold = Mutex(client, name).acquire({.wait = patience()});
    if (hold) return testing::AssertionSuccess();
    return testing::AssertionFailure() << hold.error().message();
  }

  bool moves_to(std::size_t server, const Client& client) const {
    return eventually([&] {
      const auto hold = Mutex(client, "moved").acquire({.wait = Timeout::zero()});
      return hold && group_[server].command({"EXISTS", "moved"}) == "1";
    });
  }

  bool has_clients(std::size_t server) const {
    return group_[server].command({"CLIENT", "LIST"}).find("name=holdfast") !=
           std::string::npos;
  }

  // Takes the lock so that no replica hears of it, and kills the primary.
  Hold take_what_will_be_lost(const Client& client, const std::string& name) {
    group_.stop_replication(0);
    auto hold = Mutex(client, name).acquire().value();
    group_[0].kill();
    return hold;
  }

  RedisSentinel group_;
};

TEST_F(RedisSentinelTest, AHoldAndItsWaitersOutliveAnOrderedFailover) {
  const Client holder = open();
  const Client others[] = {open(), open()};
  auto hold = Mutex(holder, "a").acquire().value();
  std::list<Mutex> mutexes;
  std::list<std::shared_future<Entered>> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.push_back(wait_for(mutexes.emplace_back(others[i % 2], "a")));
  }
  for (const auto& each : waiters) ASSERT_TRUE(still_waits(each));
  group_.expect_replicated();
  group_.fail_over();
  EXPECT_TRUE(works(holder, "b"));
  EXPECT_TRUE(hold.valid());
  for (const auto& each : waiters) ASSERT_TRUE(still_waits(each));
  const auto released = persist([&](engine::Deadline) { return hold.release(); });
  EXPECT_TRUE(released) << released.error().message();
  std::set<FencingToken> tokens{hold.token()};
  for (auto& each : waiters) {
    const Entered entered = each.get();
    EXPECT_EQ(entered.why_not, "");
    EXPECT_GT(entered.token, hold.token());
    EXPECT_TRUE(tokens.insert(entered.token).second) << "granted twice";
  }
}

// The sentinels name addresses that nothing can reach from here.
TEST_F(RedisSentinelTest, ServersAreReachedWhereTheMapSays) {
  std::list<FaultProxy> lines;
  std::string map;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const auto port = group_[i].port();
    map += (i == 0 ? "?nat=127.0.0.1:" : ",127.0.0.1:") + std::to_string(port) +
           "=127.0.0.1:" + std::to_string(lines.emplace_back(port).port());
  }
  const auto calls_to = [&](std::size_t server) {
    auto passed = std::next(lines.begin(), static_cast<long>(server))->passed();
    return passed["EVALSHA"] + passed["EVAL"];
  };
  const Client client = open_quietly(group_.url(map));
  ASSERT_TRUE(works(client, "a"));
  EXPECT_GT(calls_to(0), 0);
  const std::size_t next = group_.fail_over();
  EXPECT_TRUE(moves_to(next, client));
  EXPECT_GT(calls_to(next), 0);
}

// The sentinels begin anew, with a smaller epoch than the one that the client knows.
TEST_F(RedisSentinelTest, APrimaryThatIsReplacedAtAnotherAddressIsFound) {
  const Client client = open();
  const std::size_t old = group_.fail_over();
  ASSERT_TRUE(moves_to(old, client));
  const RedisServer replacement;
  const std::string port = std::to_string(replacement.port());
  // A sentinel that still knows the old epoch would tell it to one that has begun anew.
  const std::vector<std::vector<std::string>> commands = {
      {"SENTINEL", "REMOVE", RedisSentinel::kName},
      {"SENTINEL", "MONITOR", RedisSentinel::kName, "127.0.0.1", port, "2"}};
  for (const auto& each : commands) {
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(group_.sentinel(i).command(each), "OK");
    }
  }
  group_[old].kill();
  EXPECT_TRUE(eventually([&] {
    const auto hold = Mutex(client, "moved").acquire({.wait = Timeout::zero()});
    return hold && replacement.command({"EXISTS", "moved"}) == "1";
  }));
}

TEST_F(RedisSentinelTest, AHolderWhoseLockIsGoneIsToldAtOnce) {
  const auto ttl = scaled(60s);
  const Client holder = open(ttl);
  const Client other = open();
  ASSERT_TRUE(works(holder, "b")) << "its connections lead to the first primary";
  const auto hold = take_what_will_be_lost(holder, "a");
  const std::size_t next = group_.expect_another_primary(0);
  const auto start = Clock::now();
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LT(Clock::now() - start, ttl / 6) << "only a renewal that was due told it";
  const auto taken = Mutex(other, "a").acquire({.wait = patience()});
  ASSERT_TRUE(taken) << taken.error().message();
  EXPECT_GT(taken->token(), hold.token());
  EXPECT_EQ(group_[next].command({"EXISTS", "a"}), "1");
}

TEST_F(RedisSentinelTest, WaitersGoOnAfterTheDeathOfThePrimary) {
  const Client holder = open(scaled(2s));
  const Client other = open();
  auto hold = std::make_unique<Hold>(Mutex(holder, "a").acquire().value());
  std::list<Mutex> mutexes;
  std::list<std::shared_future<Entered>> waiters;
  for (int i = 0; i < 4; ++i) {
    mutexes.emplace_back(i % 2 == 0 ? holder : other, "a");
    waiters.push_back(wait_for(mutexes.back()));
  }
  for (const auto& each : waiters) ASSERT_TRUE(still_waits(each));
  group_[0].kill();
  group_.expect_another_primary(0);
  hold.reset();
  for (auto& each : waiters) EXPECT_EQ(each.get().why_not, "");
}

// No reply and no broken connection tells of the change: the sentinels do.
TEST_F(RedisSentinelTest, APrimaryThatIsCutOffIsLeftAtOnce) {
  const Client client = open();
  ASSERT_TRUE(works(client, "a"));
  group_.cut_off(0);
  const std::size_t next = group_.expect_another_primary(0);
  EXPECT_TRUE(moves_to(next, client));
  EXPECT_FALSE(has_clients(0));
}

TEST_F(RedisSentinelTest, AnOldPrimaryThatComesBackIsAReplica) {
  const Client client = open();
  ASSERT_TRUE(works(client, "a"));
  group_[0].kill();
  const std::size_t next = group_.expect_another_primary(0);
  ASSERT_TRUE(works(client, "a"));
  group_[0].start();
  group_.expect_whole();
  EXPECT_TRUE(moves_to(next, client));
  EXPECT_FALSE(has_clients(0));
}

TEST_F(RedisSentinelTest, ThePrimaryServesOnWithoutAnySentinel) {
  const Client client = open();
  auto hold = Mutex(client, "held").acquire().value();
  for (std::size_t i = 0; i < 3; ++i) group_.sentinel(i).kill();
  EXPECT_TRUE(works(client, "a"));
  group_[0].command({"CLIENT", "KILL", "TYPE", "normal"});
  group_[0].command({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_TRUE(works(client, "b")) << "new connections go to the last known primary";
  EXPECT_TRUE(hold.valid());
}

TEST_F(RedisSentinelTest, SentinelsDieOneAfterAnother) {
  const Client client = open();
  for (const std::size_t each : {0U, 1U}) {
    group_.sentinel(each).kill();
    EXPECT_TRUE(works(client, "a"));
    const std::size_t next = group_.fail_over();
    EXPECT_TRUE(moves_to(next, client));
    group_.expect_whole();
  }
}

// The URL names one sentinel, which names the others.
TEST_F(RedisSentinelTest, TheListOfSentinelsChanges) {
  const Client client = open_quietly(
      "redis+sentinel://127.0.0.1:" + std::to_string(group_.sentinel(0).port()) +
      "/mymaster");
  ASSERT_TRUE(works(client, "a"));
  group_.sentinel(0).kill();
  group_[0].kill();
  const std::size_t next = group_.expect_another_primary(0);
  EXPECT_TRUE(moves_to(next, client));
}

// A sentinel that stood still names the old primary, which is cut off and takes itself
// for one.
TEST_F(RedisSentinelTest, ASentinelThatMissedAFailoverIsNotBelieved) {
  const Client client = open();
  ASSERT_TRUE(works(client, "a"));
  group_.sentinel(0).pause();
  group_.cut_off(0);
  ASSERT_TRUE(eventually([&] {
    return group_.sentinel(1)
               .command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"})
               .find(std::to_string(group_[0].port())) == std::string::npos;
  }));
  ASSERT_TRUE(works(client, "a"));
  EXPECT_TRUE(eventually([&] { return !has_clients(0); }));
  group_.sentinel(0).resume();
  for (int i = 0; i < 20; ++i) {
    for (const std::size_t each : {1U, 2U}) {
      group_[each].command({"CLIENT", "KILL", "TYPE", "normal"});
    }
    EXPECT_TRUE(works(client, "a"));
    EXPECT_FALSE(has_clients(0));
  }
}

class RedisSentinelUrls : public testing::Test {
 protected:
  static std::string address(const RedisServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
  }
  // A sentinel that watches `server_` under the name "shop".
  std::vector<std::string> lines(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"sentinel monitor shop 127.0.0.1 " +
                                 std::to_string(server_.port()) + " 1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  RedisServer server_;
};

TEST_F(RedisSentinelUrls, TheRightFormIsNamed) {
  const RedisServer sentinel(lines());
  const Failure unknown =
      clear_failure("redis+sentinel://" + address(sentinel) + "/shpo", "\"shpo\"");
  EXPECT_EQ(unknown.code, Errc::bad_url) << unknown.message();
  const Failure server = clear_failure("redis+sentinel://" + address(server_) + "/shop",
                                       "its URL is redis://" + address(server_));
  EXPECT_EQ(server.code, Errc::bad_url) << server.message();
  const Failure plain =
      clear_failure("redis://" + address(sentinel),
                    "its URL is redis+sentinel://" + address(sentinel) + "/shop");
  EXPECT_EQ(plain.code, Errc::bad_url) << plain.message();
  clear_failure("rediss+sentinel://" + address(sentinel) + "/shop",
                "starts with redis+sentinel://");
}

TEST_F(RedisSentinelUrls, ASentinelThatWantsTls) {
  TlsFiles files;
  const Identity identity = files.issue({.name = "good"});
  const std::string port = std::to_string(free_port());
  const RedisServer sentinel(
      lines({"tls-port " + port, "tls-cert-file " + identity.cert,
             "tls-key-file " + identity.key, "tls-ca-cert-file " + files.authority(),
             "tls-auth-clients no"}));
  clear_failure("redis+sentinel://127.0.0.1:" + port + "/shop", "rediss+sentinel://");
  // This sentinel speaks TLS, and the server that it names does not.
  clear_failure("rediss+sentinel://127.0.0.1:" + port + "/shop?ca=" + files.authority(),
                "redis+sentinel://");
}

TEST_F(RedisSentinelUrls, SentinelsHaveAPasswordOfTheirOwn) {
  const RedisServer sentinel(lines({"requirepass c4n4ry"}));
  const std::string url = "redis+sentinel://" + address(sentinel) + "/shop";
  EXPECT_EQ(clear_failure(url, "?sentinel_password_file=").code, Errc::denied);
  const TempDir dir;
  const auto in_file = [&](const std::string& password) {
    std::ofstream(dir.file("password")) << password << "\n";
    return url + "?sentinel_password_file=" + dir.file("password");
  };
  const Failure wrong = clear_failure(in_file("c4n4ry-wrong"), "the sentinel at ");
  EXPECT_EQ(wrong.code, Errc::denied);
  EXPECT_EQ(wrong.message().find("c4n4ry"), std::string::npos) << wrong.message();
  const Client client = open_quietly(in_file("c4n4ry"));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

}  // namespace
}  // namespace holdfast::test

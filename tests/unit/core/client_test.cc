// SPDX-License-Identifier: Apache-2.0

#include "holdfast/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

#include "core/client_state.h"
#include "holdfast/client_options.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "holdfast/version.h"
#include "support/eventually.h"
#include "support/temp_dir.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST(ClientTest, SaysWhichEnginesThereAre) {
  EXPECT_THAT(std::string(engines()), Not(HasSubstr("  ")));
}

TEST(ClientTest, HasTheVersionOfItsHeaders) {
  EXPECT_EQ(version(), std::to_string(HOLDFAST_VERSION_MAJOR) + "." +
                           std::to_string(HOLDFAST_VERSION_MINOR) + "." +
                           std::to_string(HOLDFAST_VERSION_PATCH));
  static_assert(HOLDFAST_VERSION_NUMBER >= 100);
}

TEST(ClientTest, RefusesABadUrl) {
  struct Row {
    const char* url;
    Errc code;
    const char* message;
  };
  const Row rows[] = {
      {"nonsense", Errc::bad_url, "must start with an engine"},
      {"mongo://h", Errc::no_engine, "there is no engine 'mongo'; this build has: "},
  };
  for (const Row& row : rows) {
    const auto client = Client::open(row.url);
    ASSERT_FALSE(client) << row.url;
    EXPECT_EQ(client.error().code, row.code) << row.url;
    EXPECT_THAT(client.error().message(), HasSubstr(row.message));
    EXPECT_THROW((void)Client::open(row.url).value(), Error);
  }
}

TEST(ClientTest, LocalTakesAPathAndTheUsersThatShareIt) {
  if (engines().find("local") == std::string_view::npos) {
    GTEST_SKIP() << "this build does not have the local engine";
  }
  const struct {
    const char* url;
    const char* what;
  } rows[] = {
      {"local://host/x", "three slashes"},
      {"local://me@/x", "three slashes"},
      {"local:///x?y=z", "it has group, mode, scope"},
      {"local:///x?mode=0640", "0600, 0660 or 0666"},
      {"local:///x?mode=0660", "come together"},
      {"local:///x?group=root", "come together"},
      {"local:///x?mode=0660&group=no-such-group", "no group"},
      {"local:///x?scope=system", "do not go together"},
      {"local:?scope=all", "user or system"},
      {"local:?mode=0666", "belong to a path"},
  };
  for (const auto& row : rows) {
    const auto client = Client::open(row.url);
    ASSERT_FALSE(client) << row.url;
    EXPECT_EQ(client.error().code, Errc::bad_url) << row.url;
    EXPECT_THAT(client.error().message(), HasSubstr(row.what));
  }
}

TEST(ClientTest, TakesTheUrlFromTheEnvironment) {
  setenv("HOLDFAST_URL", "mongo://user:canary@h", 1);
  const auto client = Client::open();
  unsetenv("HOLDFAST_URL");
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message(), HasSubstr("mongo"));
  EXPECT_THAT(client.error().message(), Not(HasSubstr("canary")));
}

TEST(ClientTest, AnErrorInAConfigFileHasAFileAndALine) {
  const test::TempDir folder;
  const auto path = folder.file("f");
  const auto refusal = [&path](const char* text) {
    std::ofstream(path) << text;
    const auto client = Client::from_config(path);
    EXPECT_FALSE(client) << text;
    return client ? Failure(Errc::internal) : client.error();
  };
  struct Row {
    const char* engine;
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"quorum", "type = quorum\nnode = local:", ":1: a quorum has at least three"},
      {"quorum", "url = quorum:local:", ":1: bad URL: a quorum has at least three"},
      {"local", "type = local\naddress = h", ":1: local: takes a path alone"},
      {"redis", "type = redis\n\nfoo = 1",
       ":3: Redis has no option \"foo\"; it has ack"},
      {"redis", "type = redis\naddress = a, b\ndb = 2",
       ":3: a Redis Cluster has database 0 alone"},
      {"redis", "type = redis\nca = /x",
       ":2: ca belongs to TLS, which is type = rediss"},
      {"redis", "url = redis://h?ack=x", ":1: bad URL: ?ack= must be a number"},
      {"redis", "type = quorum\nnode = redis://a\nnode = redis://b?db=x",
       ":3: bad URL: ?db= must be"},
      {"etcd", "type = etcds\nkey = /x", ":2: cert and key come together"},
      {"zookeeper", "type = zookeeper\ntick_time = 0s", ":2: tick_time must be"},
      {"mysql", "type = mysql\nuser = u", "f: a database is missing, as in path = /d"},
      {"mysql", "mode = x\ntype = mysql", ":1: mode must be one of hybrid, rows"},
  };
  for (const Row& row : rows) {
    if (engines().find(row.engine) == std::string_view::npos) continue;
    const auto why = refusal(row.text);
    EXPECT_EQ(why.code, Errc::bad_config) << row.text;
    EXPECT_THAT(why.message(), HasSubstr(row.message));
    EXPECT_THAT(why.message(), testing::StartsWith(path + ":"));
  }
}

TEST(ClientTest, LogsThatOthersMayReadAPassword) {
  const test::TempDir folder;
  const auto path = folder.file("f");
  std::ofstream(path) << "type = mongo\npassword = canary\n";
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  std::string logged;
  ClientOptions options;
  options.log = [&logged](LogLevel, std::string_view line) { logged += line; };
  EXPECT_FALSE(Client::from_config(path, options));
  EXPECT_THAT(logged, HasSubstr("chmod 600"));
  EXPECT_THAT(logged, Not(HasSubstr("canary")));
}

TEST(ClientTest, ReadsAConfigFile) {
  const test::TempDir folder;
  const auto path = folder.file("f");
  std::ofstream(path) << "type = mongo\naddress = h:1\npassword = canary\n";
  const auto client = Client::from_config(path);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::no_engine);
  EXPECT_THROW((void)Client::from_config(path).value(), Error);
  EXPECT_EQ(Client::from_config(folder.file("none")).error().code, Errc::bad_config);
}

TEST(ClientTest, RefusesAMissingEngineAndAZeroTtl) {
  EXPECT_EQ(Client::over(nullptr).error().code, Errc::bad_argument);
  ClientOptions options;
  options.ttl = 0ms;
  const auto client = Client::over(
      std::make_unique<test::FakeEngine>(test::FakeEngine::world()), options);
  EXPECT_EQ(client.error().code, Errc::bad_argument);
}

TEST(ClientTest, PublishesHostPidAndProgram) {
  const auto world = test::make_world(test::Sort::plain);
  const auto client = Client::over(std::make_unique<test::FakeEngine>(world)).value();
  Mutex mutex(client, "a");
  mutex.lock();
  const auto entries = world->server.survey({engine::Kind::mutex, "a"}, 1).value();
  EXPECT_THAT(entries.at(0).payload,
              HasSubstr(":" + std::to_string(getpid()) + ":unit_tests"));
}

class CloseTest : public testing::TestWithParam<test::Sort> {};
INSTANTIATE_TEST_SUITE_P(Sorts, CloseTest,
                         testing::Values(test::Sort::leased_with_gate,
                                         test::Sort::leased, test::Sort::with_gate,
                                         test::Sort::plain));

TEST_P(CloseTest, GivesEverythingBack) {
  const auto world = test::make_world(GetParam());
  Client client = test::join(world);
  Mutex a(client, "a");
  Mutex b(client, "b");
  a.lock();
  auto hold = b.acquire().value();
  client.close();
  client.close();
  EXPECT_EQ(test::places(world, "a"), 0u);
  EXPECT_EQ(test::places(world, "b"), 0u);
  EXPECT_TRUE(a.lost().stop_requested());
  EXPECT_FALSE(hold.valid());
  EXPECT_EQ(a.acquire().error().code, Errc::closed);
  EXPECT_THROW(a.lock(), Error);
  EXPECT_EQ(Mutex(client, "c").acquire().error().code, Errc::closed);
  a.unlock();
}

TEST_P(CloseTest, TheLastCopyClosesIt) {
  const auto world = test::make_world(GetParam());
  {
    Mutex mutex(test::join(world), "a");
    mutex.lock();
    EXPECT_EQ(test::places(world, "a"), 1u);
  }
  EXPECT_EQ(test::places(world, "a"), 0u);
}

// close() waits for callbacks, so a callback that calls it must not wait for the other
// thread.
TEST_P(CloseTest, ACallbackMayCloseWhileAnotherThreadDoes) {
  Client client = test::join(test::make_world(GetParam()));
  Mutex mutex(client, "a");
  const auto hold = mutex.acquire().value();
  std::atomic<bool> closed{false};
  const std::stop_callback callback(hold.lost(), [&] {
    client.close();
    closed = true;
  });
  client.close();
  EXPECT_TRUE(closed) << "close() did not wait for the callback";
}

// When the client is closed, the attempt is on its way to a server that does not
// answer.
TEST_P(CloseTest, AClaimThatArrivesAfterCloseIsDropped) {
  const auto world = test::make_world(GetParam());
  Client client = test::join(world);
  Mutex mutex(client, "a");
  world->delay.begin();
  world->faults.unreachable = true;
  std::jthread waiter([&] { EXPECT_EQ(mutex.acquire().error().code, Errc::closed); });
  ASSERT_TRUE(test::eventually([&] { return world->delay.waiting() > 0; }));
  client.close();
  waiter.join();
  world->delay.arrive();
  EXPECT_EQ(test::places(world, "a"), 1u);
  world->faults.unreachable = false;
  EXPECT_TRUE(test::eventually([&] { return test::places(world, "a") == 0; }));
}

// Each drop takes as long as a connection that is not answered.
TEST(ClientTest, ManyClaimsDoNotProlongClose) {
  const auto world = test::make_world(test::Sort::leased_with_gate);
  Client client = test::join(world);
  std::vector<Hold> holds;
  for (int i = 0; i < 60; ++i) {
    holds.push_back(Mutex(client, std::to_string(i)).acquire().value());
  }
  world->faults.unreachable = true;
  world->faults.delay = 100ms;
  const auto start = Clock::now();
  client.close();
  EXPECT_LT(Clock::now() - start, 4s);
  world->faults.delay = 0ms;
  world->faults.unreachable = false;
  for (int i = 0; i < 60; ++i) {
    EXPECT_TRUE(test::eventually([&] {
      return test::places(world, std::to_string(i)) == 0;
    })) << i;
  }
}

TEST_P(CloseTest, ACallbackMayDropTheLastCopy) {
  const auto world = test::make_world(GetParam());
  std::optional<Client> client(test::join(world));
  std::atomic<bool> done{false};
  auto mutex = std::make_unique<Mutex>(*client, "a");
  mutex->lock();
  const auto lost = mutex->lost();
  client.reset();
  const std::stop_callback callback(lost, [&] {
    mutex.reset();
    done = true;
  });
  test::evict(world, "a");
  EXPECT_TRUE(test::eventually([&] { return done.load(); }));
}

}  // namespace
}  // namespace holdfast

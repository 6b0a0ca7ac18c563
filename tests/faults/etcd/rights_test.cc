// SPDX-License-Identifier: Apache-2.0

// Users, roles and tokens, on a server with authentication.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "holdfast/counter.h"
#include "holdfast/shared_count.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// The user `root` may do everything, the user `ann` only what is below the prefix.
class EtcdRights : public OnEtcd {
 protected:
  explicit EtcdRights(std::vector<std::string> arguments = {})
      : OnEtcd(std::move(arguments)) {
    shell_.call("auth/user/add", R"({"name":"root","password":"r00t"})");
    shell_.call("auth/user/grant", R"({"user":"root","role":"root"})");
    shell_.call("auth/user/add", R"({"name":"ann","password":"c4n4ry"})");
    shell_.call("auth/role/add", R"({"name":"app"})");
    // "/app/locks/" and its end, "/app/locks0"
    shell_.call("auth/role/grant", R"({"name":"app","perm":{"permType":"READWRITE",)"
                                   R"("key":"L2FwcC9sb2Nrcy8=",)"
                                   R"("range_end":"L2FwcC9sb2NrczA="}})");
    shell_.call("auth/user/grant", R"({"user":"ann","role":"app"})");
    shell_.call("auth/enable");
    shell_.sign_on("root", "r00t");
  }

  std::string url(const std::string& user, std::string_view prefix = kPrefix) const {
    return "etcd://" + user + "@" + server_.address() + std::string(prefix);
  }

  static void expect_denied(const std::string& url) {
    const Failure failure = first_failure(url);
    EXPECT_EQ(failure.code, Errc::denied) << failure.message();
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
    EXPECT_THAT(failure.message(), Not(HasSubstr("c4n4ry")));
    EXPECT_THAT(failure.message(), Not(HasSubstr("wr0ng")));
  }
};

TEST_F(EtcdRights, AUserLocksAndCountsBelowItsPrefix) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
  EXPECT_TRUE(Counter(client, "n").add(1));
}

TEST_F(EtcdRights, AUsersWaiterIsWoken) {
  Mutex holder(open_quietly(url("ann:c4n4ry")), "a");
  Mutex waiter(open_quietly(url("ann:c4n4ry")), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  EXPECT_TRUE(still_waits(entered));
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(1s)) << in.why_not;
}

TEST_F(EtcdRights, AWrongPasswordIsDenied) { expect_denied(url("ann:wr0ng")); }

TEST_F(EtcdRights, AnUnknownUserIsDenied) { expect_denied(url("bob:c4n4ry")); }

TEST_F(EtcdRights, AClientWithoutAUserIsDenied) { expect_denied(server_.url(kPrefix)); }

TEST_F(EtcdRights, OutsideItsPrefixAUserIsDenied) {
  expect_denied(url("ann:c4n4ry", "/elsewhere"));
}

TEST_F(EtcdRights, APasswordMayBeInAFile) {
  const TempDir dir;
  std::ofstream(dir.file("password")) << "c4n4ry\n";
  const Client client =
      open_quietly(url("ann") + "?password_file=" + dir.file("password"));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

TEST_F(EtcdRights, AServerThatForgotItsTokensIsToldAgain) {
  const auto ttl = scaled(3s);
  const Client client = open_quietly(url("ann:c4n4ry"), ttl);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  server_.kill();
  server_.start();
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

TEST_F(EtcdRights, OtherUsersMayBeChangedMeanwhile) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  Mutex mutex(client, "a");
  for (const std::string name : {"bob", "cat", "dan"}) {
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    shell_.call("auth/user/add", R"({"name":")" + name + R"(","password":"p"})");
    shell_.sign_on("root", "r00t");
    EXPECT_TRUE(hold->release());
  }
}

TEST_F(EtcdRights, ATakenRightIsMissed) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  ASSERT_TRUE(Counter(client, "n").add(1));
  shell_.call("auth/user/revoke", R"({"name":"ann","role":"app"})");
  const auto refused = Counter(client, "n").add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied) << refused.error().message();
}

TEST_F(EtcdRights, ARefusedLockUsesItsKeyWhenTheRightIsBack) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  Mutex held(client, "held");
  const auto hold = held.acquire().value();
  Mutex mutex(client, "a");
  shell_.call("auth/user/revoke", R"({"name":"ann","role":"app"})");
  const auto refused = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied) << refused.error().message();
  shell_.sign_on("root", "r00t");
  shell_.call("auth/user/grant", R"({"user":"ann","role":"app"})");
  shell_.sign_on("root", "r00t");
  const auto later = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(later) << later.error().message();
  EXPECT_EQ(only_key("a").key, key_of_session("a", "held"));
}

TEST_F(EtcdRights, AWatchThatIsNotAllowedIsDenied) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  const auto name = client.session().bind({engine::Kind::counter, "n"}).value();
  shell_.call("auth/user/revoke", R"({"name":"ann","role":"app"})");
  const auto watch = name->watch(client.session().signal(), soon());
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code, Errc::denied) << watch.error().message();
}

TEST_F(EtcdRights, AuthenticationMayBeSwitchedOffMeanwhile) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  ASSERT_TRUE(Counter(client, "n").add(1));
  shell_.call("auth/disable");
  const auto sum = Counter(client, "n").add(1);
  EXPECT_TRUE(sum) << sum.error().message();
}

TEST(EtcdWithoutUsers, DoesNotMindOne) {
  const EtcdServer server;
  const Client client = open_quietly("etcd://ann:c4n4ry@" + server.address());
  const auto hold = Mutex(client, "a").acquire({.wait = Timeout::zero()});
  EXPECT_TRUE(hold) << hold.error().message();
}

// Tokens last for a second. The server removes expired ones once a second.
class EtcdShortTokens : public EtcdRights {
 protected:
  explicit EtcdShortTokens(std::vector<std::string> arguments = {"--auth-token-ttl",
                                                                 "1"})
      : EtcdRights(std::move(arguments)) {}

  // The client has waited before, so its watch stream is open, with a token that has
  // expired.
  void wakes_up_on_an_old_stream() {
    Mutex holder(open_quietly(url("ann:c4n4ry")), "a");
    const Client idle = open_quietly(url("ann:c4n4ry"));
    Mutex waiter(idle, "a");
    auto hold = holder.acquire().value();
    auto too_soon = waiter.acquire({.wait = 100ms});
    EXPECT_EQ(too_soon.error().code, Errc::timed_out) << too_soon.error().message();
    EXPECT_TRUE(throughout(3500ms, [] { return true; }));
    auto entered = wait_for(waiter);
    EXPECT_TRUE(still_waits(entered));
    const auto released = Clock::now();
    EXPECT_TRUE(hold.release());
    const Entered in = entered.get();
    EXPECT_LT(in.at - released, scaled(1s)) << in.why_not;
  }
};

class EtcdSignedTokens : public EtcdShortTokens {
 protected:
  EtcdSignedTokens() : EtcdShortTokens({"--auth-token", spelt(secret())}) {}

 private:
  static std::string secret() {
    static const TempDir dir;
    std::ofstream(dir.file("secret")) << "s1gn3d";
    return dir.file("secret");
  }
  static std::string spelt(const std::string& secret) {
    return "jwt,priv-key=" + secret + ",sign-method=HS256,ttl=1s";
  }
};

TEST_F(EtcdShortTokens, AreAskedForAgain) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  Counter counter(client, "n");
  for (int i = 1; i <= 3; ++i) {
    const auto sum = counter.add(1);
    ASSERT_TRUE(sum) << sum.error().message();
    EXPECT_EQ(sum->after, i);
    EXPECT_TRUE(throughout(2500ms, [] { return true; }));
  }
}

TEST_F(EtcdShortTokens, AWaitOnAnOldStreamSignsItAnew) { wakes_up_on_an_old_stream(); }

TEST_F(EtcdSignedTokens, AWaitOnAnOldStreamSignsItAnew) { wakes_up_on_an_old_stream(); }

TEST_F(EtcdShortTokens, AnObserverOnAnOldStreamGoesOnBeingTold) {
  SharedCount theirs(open_quietly(url("ann:c4n4ry")), "n");
  std::atomic<std::int64_t> seen{0};
  SharedCount ours(open_quietly(url("ann:c4n4ry")), "n");
  const auto hear = [&](const Versioned& now) { seen = now.number; };
  const auto first = ours.on_change(hear);
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_TRUE(throughout(3500ms, [] { return true; }));
  const auto second = ours.on_change(hear);
  ASSERT_TRUE(second) << second.error().message();
  ASSERT_TRUE(theirs.set(2));
  EXPECT_TRUE(eventually([&] { return seen == 2; }));
}

TEST_F(EtcdShortTokens, AHoldOutlivesThem) {
  const auto ttl = scaled(2s);
  Mutex mutex(open_quietly(url("ann:c4n4ry"), ttl), "a");
  auto hold = mutex.acquire().value();
  EXPECT_TRUE(throughout(3 * ttl, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

TEST_F(EtcdShortTokens, AWaiterOutlivesThem) {
  Mutex holder(open_quietly(url("ann:c4n4ry")), "a");
  Mutex waiter(open_quietly(url("ann:c4n4ry")), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  EXPECT_TRUE(throughout(3s, [&] { return still_waits(entered); }));
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(2s)) << in.why_not;
}

}  // namespace
}  // namespace holdfast::test

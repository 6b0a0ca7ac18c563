// SPDX-License-Identifier: Apache-2.0

// The keys that say since when claims are held: when they are written, and that they do
// no harm.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;
using engine::Mode;
using WallTime = std::chrono::system_clock::time_point;

class EtcdGrantTimes : public OnEtcd {
 protected:
  using OnEtcd::OnEtcd;

  static testing::AssertionResult renew(const Client& client, const ClaimLock& lock) {
    engine::ClaimRef ref{&lock.resource(), &lock.claim()};
    const auto renewed = client.session().renew({&ref, 1}, soon());
    if (!renewed) return testing::AssertionFailure() << renewed.error().message();
    if (ref.outcome) return testing::AssertionFailure() << ref.outcome.message();
    return testing::AssertionSuccess();
  }

  // Begins to hold the lock, and renews it, which writes the time.
  static testing::AssertionResult hold(const Client& client, ClaimLock& lock) {
    if (!lock.begin()) return testing::AssertionFailure() << "it was not granted";
    return renew(client, lock);
  }

  static std::optional<WallTime> since(const ClaimLock& lock) {
    return lock.resource().survey(10, soon()).value().at(0).since;
  }

  std::vector<EtcdKey> times() { return shell_.below(key("%marks/since/")); }

  const engine::Address a_{Kind::mutex, "a"};
};

// Clients in Go depend on the last change of a key and on its value, so neither may
// change.
TEST_F(EtcdGrantTimes, AreNotWrittenIntoTheClaimsKey) {
  const Client client = open();
  ClaimLock mutex(client, a_, {.payload = "ann"});
  ClaimLock reader(client, {Kind::shared_mutex, "b"}, {.mode = Mode::shared});
  ASSERT_TRUE(mutex.begin());
  ASSERT_TRUE(reader.begin());
  ASSERT_TRUE(renew(client, mutex));
  ASSERT_TRUE(renew(client, reader));
  EXPECT_EQ(times().size(), 2u);
  EXPECT_EQ(only_key("a").value, "ann");
  EXPECT_EQ(only_key("a").changed, only_key("a").created);
  EXPECT_EQ(only_key("b").changed, only_key("b").created);
}

TEST_F(EtcdGrantTimes, AreWrittenOnceAndNotForAShortHold) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(lock.begin());
  EXPECT_TRUE(times().empty());
  ASSERT_TRUE(renew(client, lock));
  ASSERT_EQ(times().size(), 1u);
  const auto revision = shell_.revision();
  ASSERT_TRUE(renew(client, lock));
  EXPECT_EQ(shell_.revision(), revision) << "a later renewal has written";
}

TEST_F(EtcdGrantTimes, EndWithTheHold) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(hold(client, lock));
  ASSERT_EQ(times().size(), 1u);
  EXPECT_EQ(times().front().lease, only_key("a").lease);
  ASSERT_TRUE(lock.release());
  EXPECT_TRUE(times().empty());
}

TEST_F(EtcdGrantTimes, EndWithAHoldWhoseKeyWasDeleted) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(hold(client, lock));
  ASSERT_TRUE(shell_.remove(only_key("a").key));
  EXPECT_FALSE(renew(client, lock));
  EXPECT_FALSE(lock.release());
  EXPECT_TRUE(times().empty());
}

TEST_F(EtcdGrantTimes, AreNotThoseOfTheNextHoldInTheSameKey) {
  const Client client = open();
  ClaimLock first(client, a_);
  ASSERT_TRUE(hold(client, first));
  const auto seen = since(first);
  ASSERT_TRUE(seen);
  ASSERT_TRUE(shell_.remove(only_key("a").key));
  ClaimLock next(client, a_);
  ASSERT_TRUE(next.begin());
  EXPECT_FALSE(since(next)) << "of the hold before";
  ASSERT_TRUE(renew(client, next));
  EXPECT_GT(since(next), seen);
}

TEST_F(EtcdGrantTimes, CountFromTheGrantAndNotFromTheWait) {
  const Client client = open();
  ClaimLock holder(open_directly(), a_);
  ClaimLock waiter(client, a_);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  EXPECT_TRUE(throughout(20ms, [] { return true; }));
  const auto let_in = std::chrono::system_clock::now();
  ASSERT_TRUE(holder.release());
  ASSERT_TRUE(waiter.again());
  ASSERT_TRUE(renew(client, waiter));
  // The wall clock may be set back a little at any time.
  EXPECT_GE(since(waiter), let_in - 5ms);
}

// The answer to the first renewal is lost, so it is not known whether the time was
// written.
TEST_F(EtcdGrantTimes, AreWrittenAgainWhenTheAnswerWasLost) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(lock.begin());
  line_.lose_replies(1);
  EXPECT_FALSE(renew(client, lock));
  ASSERT_TRUE(eventually([&] { return times().size() == 1; }));
  const auto seen = since(lock);
  ASSERT_TRUE(eventually([&] { return bool(renew(client, lock)); }));
  ASSERT_EQ(times().size(), 1u);
  EXPECT_LT(std::chrono::abs(*since(lock) - *seen), 1s);
  ASSERT_TRUE(lock.release());
  EXPECT_TRUE(times().empty());
}

TEST_F(EtcdGrantTimes, AreNotLeftByADropAfterALostAnswer) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(lock.begin());
  line_.lose_replies(1);
  EXPECT_FALSE(renew(client, lock));
  ASSERT_TRUE(eventually([&] { return times().size() == 1; }));
  EXPECT_TRUE(eventually([&] { return bool(lock.release()); }));
  EXPECT_TRUE(times().empty());
}

// A renewal is still on its way when the claim is dropped.
TEST_F(EtcdGrantTimes, AreNotWrittenByARenewalThatComesTooLate) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(lock.begin());
  ASSERT_TRUE(lock.release());
  EXPECT_FALSE(renew(client, lock));
  EXPECT_TRUE(times().empty());
}

class EtcdGrantTimesFull : public EtcdGrantTimes {
 protected:
  EtcdGrantTimesFull() : EtcdGrantTimes({"--quota-backend-bytes", "1000000"}) {}
};

TEST_F(EtcdGrantTimesFull, ThatCannotBeWrittenLoseNoHold) {
  const Client client = open();
  ClaimLock lock(client, a_);
  ASSERT_TRUE(lock.begin());
  const std::string large(200'000, 'x');
  EXPECT_THROW(
      for (int i = 0; i < 1000; ++i) shell_.put("large/" + std::to_string(i), large),
      std::runtime_error);
  EXPECT_TRUE(renew(client, lock));
  EXPECT_TRUE(times().empty());
  EXPECT_TRUE(lock.release());
}

// The user `ann` may lock `a`, and may write no other key of this engine.
TEST_F(EtcdGrantTimes, ThatMayNotBeWrittenBlockNoClaim) {
  shell_.call("auth/user/add", R"({"name":"root","password":"r00t"})");
  shell_.call("auth/user/grant", R"({"user":"root","role":"root"})");
  shell_.call("auth/user/add", R"({"name":"ann","password":"c4n4ry"})");
  shell_.call("auth/role/add", R"({"name":"app"})");
  for (const char* const range : {
           R"("key":"L2FwcC9sb2Nrcy8lZ29uZS8=","range_end":"L2FwcC9sb2Nrcy8lZ29uZTA=")",
           R"("key":"L2FwcC9sb2Nrcy9h","range_end":"L2FwcC9sb2Nrcy9i")",
       }) {  // "/app/locks/%gone/" and "/app/locks/a"
    shell_.call(
        "auth/role/grant",
        std::string(R"({"name":"app","perm":{"permType":"READWRITE",)") + range + "}}");
  }
  shell_.call("auth/user/grant", R"({"user":"ann","role":"app"})");
  shell_.call("auth/enable");
  shell_.sign_on("root", "r00t");
  const Client client =
      open_quietly("etcd://ann:c4n4ry@" + server_.address() + std::string(kPrefix));
  ClaimLock lock(client, a_);
  ASSERT_TRUE(lock.begin());
  EXPECT_TRUE(renew(client, lock));
  EXPECT_TRUE(times().empty());
  EXPECT_FALSE(since(lock));
  EXPECT_TRUE(lock.release());
}

}  // namespace
}  // namespace holdfast::test

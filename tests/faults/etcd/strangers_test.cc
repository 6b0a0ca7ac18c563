// SPDX-License-Identifier: Apache-2.0

// Other clients in the same queue, and unusual names.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "support/eventually.h"
#include "support/process.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

class EtcdStrangers : public OnEtcd {
 protected:
  // Runs `etcdctl lock`, which prints its key when it has the lock.
  Process etcdctl_lock(std::string_view name) const {
    return Process({"etcdctl", "--endpoints", server_.address(), "lock", key(name)},
                   {"ETCDCTL_API=3"});
  }
};

TEST_F(EtcdStrangers, EtcdctlKeepsUsOutAndLetsUsIn) {
  Process other = etcdctl_lock("a");
  ASSERT_TRUE(other.read_line());
  Mutex mutex(open(), "a");
  EXPECT_FALSE(mutex.try_lock());
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_keys("a", 2));
  EXPECT_TRUE(still_waits(entered));
  other.signal(SIGINT);
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdStrangers, WeKeepEtcdctlOutAndLetItIn) {
  Mutex mutex(open(), "a");
  mutex.lock();
  Process other = etcdctl_lock("a");
  ASSERT_TRUE(has_keys("a", 2));
  EXPECT_FALSE(other.read_line(scaled(300ms)));
  mutex.unlock();
  EXPECT_TRUE(other.read_line());
}

TEST_F(EtcdStrangers, AKilledEtcdctlHoldsUsUpForItsLeaseAlone) {
  Process other(
      {"etcdctl", "--endpoints", server_.address(), "lock", key("a"), "--ttl", "2"},
      {"ETCDCTL_API=3"});
  ASSERT_TRUE(other.read_line());
  Mutex mutex(open(), "a");
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_keys("a", 2));
  other.signal(SIGKILL);
  const auto killed = Clock::now();
  const Entered in = entered.get();
  EXPECT_LT(in.at - killed, scaled(6s)) << in.why_not;
}

TEST_F(EtcdStrangers, AKeyWithoutALeaseBlocksUntilItIsDeleted) {
  shell_.put(key("a/for-ever"), "");
  Mutex mutex(open(), "a");
  EXPECT_FALSE(mutex.try_lock());
  auto entered = wait_for(mutex);
  EXPECT_TRUE(still_waits(entered));
  shell_.remove(key("a/for-ever"));
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdStrangers, AKeyBehindUsDoesNotBlock) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  shell_.put(key("a/0"), "");
  EXPECT_TRUE(throughout(scaled(500ms), [&] { return hold.valid(); }));
}

// The queue is in the order of the revisions, whatever the names of the keys are.
TEST_F(EtcdStrangers, APredecessorThatComesAgainIsBehindUs) {
  shell_.put(key("a/0"), "");
  Mutex mutex(open(), "a");
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_keys("a", 2));
  line_.unreachable(true);
  shell_.remove(key("a/0"));
  shell_.put(key("a/0"), "again");
  line_.unreachable(false);
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdStrangers, ALongQueueIsWaitedFor) {
  constexpr int kOthers = 1000;
  for (int i = 0; i < kOthers; ++i) shell_.put(key("a/" + std::to_string(i)), "");
  const Client client = open();
  const auto resource = client.session().bind({Kind::mutex, "a"}).value();
  EXPECT_EQ(resource->survey(10, soon()).value().size(), 10u);
  Mutex mutex(client, "a");
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_keys("a", kOthers + 1));
  for (int i = 0; i < kOthers; ++i) shell_.remove(key("a/" + std::to_string(i)));
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdStrangers, NamesOfEverySortAreApart) {
  const std::vector<std::string> names{"a",       "a/",    "a/b",
                                       "/a",      "//",    "a%2Fb",
                                       "a%2fb",   "%",     "%25",
                                       "%marks",  "%gone", "..",
                                       ".",       " ",     "a b",
                                       "ä",       "日本",  "a\"b",
                                       "a'b",     "a\\b",  "a{b}",
                                       "a,b",     "read",  "claims",
                                       "permits", "ready", std::string(200, 'x')};
  for (Hold& each : lock_apart(open(), open_directly(), names)) {
    EXPECT_TRUE(each.release());
  }
  EXPECT_TRUE(eventually([&] { return shell_.below(key("a")).empty(); }));
}

TEST_F(EtcdStrangers, RawNamesAreSpeltAsPeersDo) {
  Mutex mutex(open_quietly(server_.url("?names=raw")), "app/stock/7");
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_EQ(shell_.below("app/stock/7/").size(), 1u);
}

TEST_F(EtcdStrangers, WithoutAPrefixKeysBeginWithTheName) {
  Mutex mutex(open_quietly(server_.url()), "stock");
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_EQ(shell_.below("stock/").size(), 1u);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// The nodes that we make are those that Java makes, byte for byte.

#include <algorithm>
#include <regex>

#include "holdfast/holdfast.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

constexpr const char* kUuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

// The name of a protected, sequential node with that base name, as a pattern.
std::string protected_node(const std::string& base) {
  return std::string("_c_") + kUuid + "-" + base + "[0-9]{10}";
}

AssertionResult are(const std::vector<std::string>& nodes,
                    const std::vector<std::string>& patterns) {
  std::string spelt;
  for (const std::string& node : nodes) spelt += node + "\n";
  if (nodes.size() != patterns.size()) return AssertionFailure() << spelt;
  for (const std::string& pattern : patterns) {
    const std::regex regex(pattern);
    if (std::ranges::none_of(nodes, [&](const std::string& node) {
          return std::regex_match(node, regex);
        })) {
      return AssertionFailure() << pattern << " is not among\n" << spelt;
    }
  }
  return AssertionSuccess();
}

class Layout : public ZookeeperInterop {
 protected:
  const Client client = open("InterProcessMutex");

  static std::string data(const std::string& node) {
    const Answer answer = peer().ask("data", "data", node);
    return answer.said == "ok" ? answer.value : answer.said;
  }
  static bool is(std::string_view what, const std::string& node) {
    return peer().ask("data", what, node).value == "true";
  }
  std::string only_child() {
    const auto all = children(path);
    return all.empty() ? path : path + "/" + all.front();
  }
  // The server removes containers that are empty, which shows that they are containers.
  static bool vanishes(const std::string& node) {
    return eventually([&] { return !is("exists", node); });
  }
};

TEST_F(Layout, OfAMutex) {
  Mutex mutex(client, lock);
  auto hold = mutex.acquire().value();
  EXPECT_TRUE(are(children(path), {protected_node("lock-")}));
  EXPECT_TRUE(is("ephemeral", only_child()));
  EXPECT_EQ(data(path), "");
  EXPECT_EQ(std::to_string(hold.token().value),
            peer().ask("data", "czxid", only_child()).value);
  hold.release().value();
  EXPECT_TRUE(vanishes(path));
}

TEST_F(Layout, OfAFairMutex) {
  FairMutex mutex(client, lock);
  const auto hold = mutex.acquire().value();
  EXPECT_TRUE(are(children(path), {protected_node("lock-")}));
}

TEST_F(Layout, OfASharedMutex) {
  SharedMutex mutex(client, lock);
  {
    const auto reader = mutex.acquire_shared().value();
    EXPECT_TRUE(are(children(path), {protected_node("__READ__")}));
  }
  const auto writer = mutex.acquire().value();
  EXPECT_TRUE(are(children(path), {protected_node("__WRIT__")}));
}

// The reader has the writer's number, as in Curator 5.5 and later.
TEST_F(Layout, OfADowngradedHold) {
  SharedMutex mutex(client, lock);
  auto hold = mutex.acquire().value();
  const std::string writer = only_child();
  hold.downgrade().value();
  ASSERT_TRUE(are(children(path), {protected_node("__READ__")}));
  const std::string reader = only_child();
  EXPECT_EQ(reader.substr(reader.size() - 10), writer.substr(writer.size() - 10));
  EXPECT_TRUE(is("ephemeral", reader));
}

TEST_F(Layout, OfASemaphore) {
  Semaphore semaphore(client, lock, 3);
  auto permits = semaphore.acquire_many(2).value();
  EXPECT_TRUE(are(children(path), {"leases", "locks", "permits"}));
  EXPECT_TRUE(are(children(path + "/leases"),
                  {protected_node("lease-"), protected_node("lease-")}));
  EXPECT_TRUE(children_are(path + "/locks", 0) || vanishes(path + "/locks"));
  EXPECT_EQ(data(path + "/permits"), "00000003");
  permits.release().value();
  EXPECT_TRUE(vanishes(path + "/leases"));
}

TEST_F(Layout, OfAnElection) {
  Election election(client, lock);
  election.campaign("me").value();
  EXPECT_TRUE(are(children(path), {protected_node("latch-")}));
  EXPECT_EQ(data(only_child()), "6d65");
}

TEST_F(Layout, OfADoubleBarrier) {
  DoubleBarrier barrier(client, lock, 1);
  barrier.enter().value();
  EXPECT_TRUE(are(children(path), {kUuid, "ready"}));
  EXPECT_FALSE(is("ephemeral", path + "/ready"));
  barrier.leave().value();
  EXPECT_TRUE(vanishes(path));
}

TEST_F(Layout, OfRegisters) {
  Counter counter(client, lock + "c");
  counter.exchange(258).value();
  EXPECT_EQ(data(path + "c"), "0000000000000102");
  counter.add(-259).value();
  EXPECT_EQ(data(path + "c"), "ffffffffffffffff");
  SharedCount count(client, lock + "s");
  count.set(-2).value();
  EXPECT_EQ(data(path + "s"), "fffffffe");
  Barrier barrier(client, lock + "b");
  barrier.set().value();
  EXPECT_TRUE(is("exists", path + "b"));
  EXPECT_FALSE(is("ephemeral", path + "b"));
  barrier.remove().value();
  EXPECT_FALSE(is("exists", path + "b"));
}

}  // namespace
}  // namespace holdfast::test

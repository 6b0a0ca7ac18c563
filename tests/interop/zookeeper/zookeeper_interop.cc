// SPDX-License-Identifier: Apache-2.0

#include "interop/zookeeper/zookeeper_interop.h"

#include <iterator>
#include <sstream>

#include "interop/recipes.h"
#include "support/eventually.h"

namespace holdfast::test {

ZookeeperServer& zookeeper() {
  static ZookeeperServer server;
  return server;
}

const Kinds& kinds() {
  static const Kinds all = {
      .exclusive = {"InterProcessMutex", "InterProcessSemaphoreMutex", "WriteLock",
                    "InterProcessSemaphoreV2", "LeaderLatch", "LeaderSelector"},
      .counted = {"InterProcessSemaphoreV2", "InterProcessSemaphoreV2of3"},
      .mortal = {"InterProcessMutex", "InterProcessSemaphoreMutex", "ReadLock",
                 "WriteLock", "InterProcessSemaphoreV2", "LeaderLatch"},
      .passes = {{"InterProcessMutex", "InterProcessMutex"},
                 {"InterProcessSemaphoreMutex", "InterProcessSemaphoreMutex"},
                 {"WriteLock", "WriteLock"},
                 {"WriteLock", "ReadLock"},
                 {"ReadLock", "WriteLock"},
                 {"InterProcessSemaphoreV2", "InterProcessSemaphoreV2"},
                 {"LeaderLatch", "LeaderLatch"},
                 {"LeaderSelector", "InterProcessMutex"}},
      .reader = "ReadLock",
      .writer = "WriteLock"};
  return all;
}

// A party of Curator that is woken by another's leaving lets itself and all others out
// as soon as one node is left, though that one is still inside. So we leave first.
const Recipes& recipes() {
  static const Recipes all = {.election = "LeaderLatch",
                              .payload = "java",
                              .resigns_at_once = false,
                              .shut_twice = "ok",
                              .leaves_before_us = false,
                              .prompt = std::chrono::milliseconds(2000)};
  return all;
}

std::string Interop::url() { return zookeeper().url(); }

Peer Interop::start_peer(PeerOptions options) {
  return Peer("curator", url(), options);
}

testing::AssertionResult Interop::awaited(const std::string& name) {
  const auto watched = [&] {
    const std::string all = "\n" + zookeeper().command("wchp");
    return all.find("\n/" + name + "\n") != all.npos ||
           all.find("\n/" + name + "/_c_") != all.npos;
  };
  // The server does not list watches of children. A client that waits for a permit is
  // in the queue below `locks`.
  const auto in_line = [&] {
    const Answer line = peer().ask("awaited", "children", "/" + name + "/locks");
    return line.said == "ok" && !line.value.empty();
  };
  if (eventually([&] { return watched() || in_line(); })) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "no client waits for " << name;
}

std::vector<std::string> ZookeeperInterop::children(const std::string& path) {
  std::istringstream words(peer().ask("children", "children", path).value);
  return {std::istream_iterator<std::string>(words), {}};
}

testing::AssertionResult ZookeeperInterop::children_are(const std::string& path,
                                                        std::size_t number) {
  const auto there = [&] {
    const Answer answer = peer().ask("children", "exists", path);
    return answer.value == "true" && children(path).size() == number;
  };
  if (eventually(there)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not " << number << " are at " << path;
}

namespace {
struct Nodes : ZookeeperInterop {
  using ZookeeperInterop::children_are;
};
}  // namespace

testing::AssertionResult RecipeTest::barrier_is_awaited(const std::string& name) {
  return awaited(name);
}

testing::AssertionResult RecipeTest::parties_are(const std::string& name,
                                                 std::size_t number) {
  return Nodes::children_are("/" + name, number);
}

// The node of the double barrier stays, with none below it.
testing::AssertionResult RecipeTest::nothing_is_left(const std::string& name) {
  return Nodes::children_are("/" + name, 0);
}

}  // namespace holdfast::test

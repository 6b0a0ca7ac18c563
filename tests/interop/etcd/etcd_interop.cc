// SPDX-License-Identifier: Apache-2.0

#include "interop/etcd/etcd_interop.h"

#include "interop/recipes.h"
#include "support/etcd_shell.h"
#include "support/eventually.h"

namespace holdfast::test {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

EtcdServer& etcd() {
  static EtcdServer server;
  return server;
}

const Kinds& kinds() {
  static const Kinds all = {
      .exclusive = {"Mutex", "Election", "WriteLock"},
      .counted = {},
      .mortal = {"Mutex", "Election", "ReadLock", "WriteLock"},
      .passes = {{"Mutex", "Mutex"},
                 {"Election", "Election"},
                 {"WriteLock", "WriteLock"},
                 {"WriteLock", "ReadLock"},
                 {"ReadLock", "WriteLock"}},
      .reader = "ReadLock",
      .writer = "WriteLock",
      .prompt = std::chrono::milliseconds(40)};  // the server's tick is not waited for
  return all;
}

const Recipes& recipes() {
  static const Recipes all = {.election = "Election",
                              .payload = "go",
                              .resigns_at_once = true,
                              .shut_twice = "error",
                              .leaves_before_us = true,
                              .prompt = std::chrono::milliseconds(1000)};
  return all;
}

std::string Interop::url() { return etcd().url(); }

Peer Interop::start_peer(PeerOptions options) { return Peer("go", url(), options); }

AssertionResult Interop::awaited(const std::string& name) {
  EtcdShell shell(etcd().port());
  const auto in_line = [&] { return shell.below(name + "/").size() >= 2; };
  if (eventually(in_line)) return AssertionSuccess();
  return AssertionFailure() << "no client waits for " << name;
}

std::vector<std::string> EtcdInterop::keys(const std::string& name) {
  std::vector<std::string> all;
  for (const EtcdKey& each : EtcdShell(etcd().port()).below(name + "/")) {
    all.push_back(each.key);
  }
  return all;
}

AssertionResult EtcdInterop::keys_are(const std::string& name, std::size_t number) {
  if (eventually([&] { return keys(name).size() == number; })) {
    return AssertionSuccess();
  }
  return AssertionFailure() << "not " << number << " are at " << name;
}

std::string EtcdInterop::ask_about(const std::string& key, std::string_view what) {
  const Answer answer = peer().ask("keys", what, key);
  return answer.said == "ok" ? answer.value : answer.said;
}

namespace {
struct Keys : EtcdInterop {
  using EtcdInterop::keys_are;
};
}  // namespace

// The server does not tell who watches a key.
AssertionResult RecipeTest::barrier_is_awaited(const std::string&) {
  return AssertionSuccess();
}

AssertionResult RecipeTest::parties_are(const std::string& name, std::size_t number) {
  return Keys::keys_are(name + "/waiters", number);
}

AssertionResult RecipeTest::nothing_is_left(const std::string& name) {
  return Keys::keys_are(name, 0);
}

}  // namespace holdfast::test

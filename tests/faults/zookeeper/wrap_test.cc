// SPDX-License-Identifier: Apache-2.0

// The counter of a directory is a signed number of 32 bits. At its end the server gives
// out the largest number again, or negative ones, which Curator and Holdfast take for
// smaller: a claim with such a number would be granted beside the holder.

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "faults/zookeeper/ground.h"
#include "faults/zookeeper/snapshot.h"
#include "holdfast/engine/session.h"
#include "support/zookeeper_server.h"

namespace holdfast::test {
namespace {

constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

class Wrap : public testing::Test {
 protected:
  // The next node in /app/a gets this number.
  void start_at(std::int32_t next) {
    {
      ZookeeperShell shell(server_.port());
      shell.create("/app");
      shell.create("/app/a");
      shell.create("/app/a/stays");  // otherwise the empty directory would be removed
    }
    server_.stop();
    server_.start();
    server_.stop();
    set_sequence(server_.file("data"), "/app/a", next);
    server_.start();
    shell_.emplace(server_.port());
  }
  Client open() const { return open_quietly(server_.url("/app")); }

  ZookeeperServer server_{{"digest.enabled=false"}};
  std::optional<ZookeeperShell> shell_;
};

// This server gives out the largest number again and again.
TEST_F(Wrap, TheCounterStandsStillAtItsEnd) {
  start_at(kLargest - 1);
  for (const char* path :
       {"/app/a/x-2147483646", "/app/a/y-2147483647", "/app/a/z-2147483647"}) {
    const std::string name(path, std::string_view(path).find('-') + 1);
    EXPECT_EQ(shell_->create(name, {}, ZOO_EPHEMERAL_SEQUENTIAL), path);
  }
}

TEST_F(Wrap, IsRefusedBeforeTwoAreIn) {
  start_at(kLargest - 3);
  Mutex mutex(open(), "a");
  std::optional<Failure> refused;
  for (int i = 0; i < 10 && !refused; ++i) {
    auto hold = mutex.acquire({.wait = Timeout::zero()});
    if (!hold) refused = hold.error();
    if (!hold) continue;
    for (const std::string& each : shell_->children("/app/a")) {
      EXPECT_FALSE(each.ends_with("2147483647") || each.find("--") != std::string::npos)
          << each;
    }
  }
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->code, Errc::timed_out) << "no client holds it";
  EXPECT_GT(refused->message().size(), 20u) << refused->message();
  EXPECT_EQ(shell_->children("/app/a").size(), 1u) << "only what was there before";
}

TEST_F(Wrap, IsRefusedWhenItHasHappened) {
  start_at(-5);
  for (const engine::Kind kind :
       {engine::Kind::mutex, engine::Kind::shared_mutex, engine::Kind::election}) {
    const Client client = open();
    const auto resource = client.session().bind({kind, "a"}).value();
    const engine::Claim claim{.ticket = static_cast<engine::Ticket>(1)};
    const auto verdict = resource->attempt(claim, nullptr, Clock::now() + patience());
    EXPECT_FALSE(verdict);
  }
  EXPECT_EQ(shell_->children("/app/a").size(), 1u) << "only what was there before";
}

}  // namespace
}  // namespace holdfast::test

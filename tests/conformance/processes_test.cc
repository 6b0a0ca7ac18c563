// SPDX-License-Identifier: Apache-2.0

// Other processes are woken, stopped and forked, many of them at once.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <vector>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/sanitizers.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Processes : public Conformance {
 protected:
  Victim victim() { return Victim(engine().url()); }
  engine::Address address() const { return {engine::Kind::mutex, name("a")}; }
};

HOLDFAST_CONFORMANCE(Processes);

TEST_P(Processes, ExcludeEachOther) {
  auto first = victim();
  auto second = victim();
  ASSERT_EQ(first.ask("lock " + name("a")), "ok");
  EXPECT_TRUE(is_error(second.ask("try " + name("a")), Errc::timed_out));
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock());
  EXPECT_EQ(first.ask("unlock"), "ok");
  EXPECT_EQ(second.ask("try " + name("a")), "ok");
}

TEST_P(Processes, AWaiterIsWokenByAnotherProcess) {
  auto first = victim();
  auto second = victim();
  ASSERT_EQ(first.ask("lock " + name("a")), "ok");
  second.tell("lock " + name("a"));
  ASSERT_TRUE(waiting(open(), address(), 1));
  EXPECT_EQ(first.ask("unlock"), "ok");
  EXPECT_EQ(second.answer(), "ok");
}

TEST_P(Processes, AHolderStoppedPastAFixedLeaseHasLostIt) {
  const auto lease = scaled(500ms);
  auto holder = victim();
  ASSERT_EQ(holder.ask("lock " + name("a") + " " + std::to_string(lease.count())),
            "ok");
  holder.stop();
  Mutex mutex(open(), name("a"));
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  holder.go_on();
  EXPECT_EQ(holder.ask("valid"), "ok no");
  EXPECT_EQ(holder.ask("lost"), "ok");
  EXPECT_TRUE(is_error(holder.ask("unlock"), Errc::not_held));
  EXPECT_TRUE(hold->valid());
  EXPECT_TRUE(hold->release());
}

TEST_P(Processes, SixteenCountersLoseNothing) {
  constexpr int kVictims = 16;
  constexpr int kTimes = 50;
  const TempDir dir;
  const std::string file = dir.file("number");
  std::vector<std::unique_ptr<Victim>> victims;
  for (int i = 0; i < kVictims; ++i) {
    victims.push_back(std::make_unique<Victim>(engine().url()));
  }
  for (const auto& each : victims) {
    each->tell("count " + file + " " + std::to_string(kTimes) + " " + name("a"));
  }
  for (const auto& each : victims) ASSERT_EQ(each->answer(2 * patience()), "ok");
  long number = 0;
  std::ifstream(file) >> number;
  EXPECT_EQ(number, kVictims * kTimes);
}

TEST_P(Processes, AChildOfForkSeesAVoidHold) {
  if (kThreadSanitizer) {
    GTEST_SKIP() << "ThreadSanitizer ends a child that was forked from several threads";
  }
  auto parent = victim();
  ASSERT_EQ(parent.ask("lock " + name("a")), "ok");
  EXPECT_EQ(parent.ask("fork"), "ok void");
  EXPECT_EQ(parent.ask("valid"), "ok yes");
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock()) << "the child released it";
  EXPECT_EQ(parent.ask("unlock"), "ok");
}

}  // namespace
}  // namespace holdfast::test

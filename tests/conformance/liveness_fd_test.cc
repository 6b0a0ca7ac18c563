// SPDX-License-Identifier: Apache-2.0

// A descriptor keeps claims alive after the process that made them has ended.

#include <gtest/gtest.h>
#include <signal.h>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class LivenessFd : public Conformance {};
HOLDFAST_CONFORMANCE(LivenessFd);

TEST_P(LivenessFd, AChildKeepsTheClaimsOfADeadProcess) {
  Victim holder(engine().url());
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  const std::string child = holder.ask("spawn");
  ASSERT_TRUE(child.starts_with("ok ")) << child;
  holder.kill();

  Mutex mutex(open(), name("a"));
  const auto refused = mutex.acquire({.wait = scaled(500ms)});
  EXPECT_FALSE(refused) << "the child still lives";
  kill(std::stoi(child.substr(3)), SIGKILL);
  const auto hold = mutex.acquire({.wait = engine().death_told_within()});
  EXPECT_TRUE(hold) << hold.error().message();
}

TEST_P(LivenessFd, AChildDoesNotKeepWhatWasReleased) {
  Victim holder(engine().url());
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  const std::string child = holder.ask("spawn");
  ASSERT_TRUE(child.starts_with("ok ")) << child;
  EXPECT_EQ(holder.ask("unlock"), "ok");
  EXPECT_TRUE(Mutex(open(), name("a")).try_lock());
  kill(std::stoi(child.substr(3)), SIGKILL);
}

}  // namespace
}  // namespace holdfast::test

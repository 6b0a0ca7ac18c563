// SPDX-License-Identifier: Apache-2.0

// Whatever is killed or stopped, the command never runs beside the next holder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "cli/program.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A command whose grandchildren leave its process group, ignore SIGTERM, and write to a
// log without a pause. It prints the pids of all three.
std::string stubborn(const Program& holdfast) {
  const std::string writer = "trap '' TERM HUP INT; while :; do echo x >> " +
                             holdfast.file("log") + "; sleep 0.002; done";
  return "setsid sh -c \"" + writer + "\" & a=$!; sh -c \"" + writer +
         "\" & echo $$ $a $!; wait; wait";
}

// The next holder. It prints the length of the log when it gets the lock, and a while
// later.
constexpr const char* kMeasure = "wc -l < $LOG; sleep 0.2; wc -l < $LOG";

struct Scene {
  Program holdfast;
  std::vector<pid_t> tree;
  std::optional<Process> holder;
  std::optional<Process> next;

  explicit Scene(const std::vector<std::string>& flags) {
    holdfast.set("LOG=" + holdfast.file("log"));
    std::vector<std::string> args{"run"};
    args.insert(args.end(), flags.begin(), flags.end());
    args.insert(args.end(), {"job", "--", "/bin/sh", "-c", stubborn(holdfast)});
    holder.emplace(holdfast.start(args));
    std::istringstream pids(holder->read_line().value_or(""));
    for (pid_t pid; pids >> pid;) tree.push_back(pid);
    EXPECT_EQ(tree.size(), 3u) << contents(holdfast.err_file());
    EXPECT_TRUE(eventually([&] { return !contents(holdfast.file("log")).empty(); }));
    next.emplace(holdfast.start({"run", "job", "--", "/bin/sh", "-c", kMeasure}));
  }

  ~Scene() {
    for (const pid_t pid : tree) {
      if (is_alive(pid)) kill(pid, SIGKILL);
    }
  }

  pid_t watchdog() const { return children_of(holder->pid()).at(0); }

  bool command_is_dead() const {
    for (const pid_t pid : tree) {
      if (is_alive(pid)) return false;
    }
    return true;
  }

  void expect_next_is_alone() {
    const auto at_first = next->read_line();
    ASSERT_TRUE(at_first) << "the next holder never got in";
    EXPECT_TRUE(command_is_dead());
    EXPECT_EQ(next->read_line(), at_first) << "the log grew under the next holder";
    EXPECT_EQ(next->wait(), 0);
  }
};

TEST(GuardTest, TheNextHolderWaitsWhileTheCommandRuns) {
  Scene scene({});
  EXPECT_EQ(scene.next->read_line(scaled(300ms)), std::nullopt);
  EXPECT_FALSE(scene.command_is_dead());
}

TEST(GuardTest, SupervisorKilled) {
  Scene scene({"-k", "200ms"});
  scene.holder->signal(SIGKILL);
  scene.expect_next_is_alone();
}

TEST(GuardTest, SupervisorKilledWithoutAnInheritedDescriptor) {
  Scene scene({"-k", "200ms", "-o"});
  scene.holder->signal(SIGKILL);
  scene.expect_next_is_alone();
}

TEST(GuardTest, WatchdogKilled) {
  Scene scene({});
  kill(scene.watchdog(), SIGKILL);
  EXPECT_EQ(scene.holder->wait(), 125);
  scene.expect_next_is_alone();
}

TEST(GuardTest, SupervisorAndWatchdogKilled) {
  Scene scene({});
  const pid_t watchdog = scene.watchdog();
  scene.holder->signal(SIGSTOP);
  kill(watchdog, SIGKILL);
  scene.holder->signal(SIGKILL);
  // No process is left to end the grandchildren, but they have the liveness descriptor.
  ASSERT_TRUE(eventually([&] { return !is_alive(scene.tree[0]); }));
  EXPECT_EQ(scene.next->read_line(scaled(300ms)), std::nullopt);
  kill(scene.tree[1], SIGKILL);
  kill(scene.tree[2], SIGKILL);
  scene.expect_next_is_alone();
}

TEST(GuardTest, SupervisorStoppedPastAFixedLease) {
  Scene scene({"--lease", stretched(2s)});
  scene.holder->signal(SIGSTOP);
  scene.expect_next_is_alone();
  scene.holder->signal(SIGCONT);
  EXPECT_EQ(scene.holder->wait(), 76);
}

TEST(GuardTest, WatchdogStoppedPastAFixedLease) {
  Scene scene({"--lease", stretched(2s)});
  kill(scene.watchdog(), SIGSTOP);
  scene.expect_next_is_alone();
  EXPECT_EQ(scene.holder->wait(), 76);
  EXPECT_THAT(contents(scene.holdfast.err_file()), HasSubstr("watchdog"));
}

TEST(GuardTest, WatchdogStoppedWhenTheLockIsTakenAway) {
  Scene scene({});
  kill(scene.watchdog(), SIGSTOP);
  EXPECT_EQ(scene.holdfast({"unlock", "job", "--force"}).code, 0);
  EXPECT_EQ(scene.holder->wait(), 76);
  EXPECT_TRUE(scene.command_is_dead());
}

TEST(GuardTest, AWatchdogThatIsEndingTheCommandIsNotKilled) {
  Program holdfast;
  Process run = holdfast.hold(
      "a",
      "trap 'sleep 1.5; echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done",
      {"--preserve-status", "-k", "20s"});
  EXPECT_EQ(holdfast({"unlock", "a", "--force"}).code, 0);
  EXPECT_EQ(run.read_line(), "bye");
  EXPECT_EQ(run.wait(), 3);
}

TEST(GuardTest, AFixedLeaseEnds) {
  Scene scene({"--lease", stretched(2s)});
  scene.expect_next_is_alone();
  EXPECT_EQ(scene.holder->wait(), 76);
}

TEST(GuardTest, ChildrenThatTheProgramDidNotStartAreSpared) {
  Program holdfast;
  Process shell(
      {"/bin/sh", "-c",
       "sleep 100 & echo $!; exec \"$0\" run job -- sh -c 'echo up; sleep 100'",
       HOLDFAST_PROGRAM},
      {"HOLDFAST_URL=" + holdfast.url()});
  const pid_t stranger = std::stoi(shell.read_line().value());
  ASSERT_EQ(shell.read_line(), "up");
  const auto own = children_of(shell.pid());
  ASSERT_EQ(own.size(), 2u);
  kill(own[0] == stranger ? own[1] : own[0], SIGKILL);
  EXPECT_EQ(shell.wait(), 125);
  EXPECT_TRUE(is_alive(stranger));
  kill(stranger, SIGKILL);
}

}  // namespace
}  // namespace holdfast::test

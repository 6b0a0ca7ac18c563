// SPDX-License-Identifier: Apache-2.0

// These tests are about what a session leaves behind when it ends.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "faults/segment_map.h"
#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class LeftBehind : public testing::Test {
 protected:
  TempDir dir_;
  const std::string path_ = dir_.file("segment");
  const std::string url_ = "local://" + path_;
};

TEST_F(LeftBehind, AChildDoesNotPinTheSlotOfASessionThatEndedInGoodOrder) {
  Victim holder(url_);
  ASSERT_EQ(holder.ask("lock job"), "ok");
  const std::string child = holder.ask("spawn");
  ASSERT_TRUE(child.starts_with("ok ")) << child;
  ASSERT_EQ(holder.ask("unlock"), "ok");
  holder.process().close_stdin();
  ASSERT_EQ(holder.process().wait(), 0);

  const Client client = Client::open(url_).value();
  const SegmentMap segment(path_);
  EXPECT_TRUE(eventually([&] { return segment.slot(1).live.load() == 0; }))
      << "its slot is kept for the child that has its descriptor";
  kill(std::stoi(child.substr(3)), SIGKILL);
}

TEST_F(LeftBehind, AKilledHolderIsGoneBeforeItsLockPassesOn) {
  Mutex mutex(Client::open(url_).value(), "job");
  for (int i = 0; i < 3; ++i) {
    Victim holder(url_);
    ASSERT_EQ(holder.ask("lock job"), "ok");
    // The kernel ends the liveness thread first and frees this memory afterwards, so
    // that the process takes a while to end.
    ASSERT_EQ(holder.ask("fill 256"), "ok");
    const pid_t pid = holder.process().pid();
    kill(pid, SIGKILL);
    mutex.lock();
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
    EXPECT_EQ(ended.si_pid, pid)
        << "its lock was passed on before the process had ended";
    mutex.unlock();
  }
}

TEST_F(LeftBehind, AHolderThatBecomesAnotherProgramLosesItsLock) {
  Victim holder(url_);
  ASSERT_EQ(holder.ask("lock job"), "ok");
  holder.tell("exec");
  Mutex mutex(Client::open(url_).value(), "job");
  EXPECT_TRUE(mutex.try_lock_for(patience()));
}

TEST_F(LeftBehind, AFileThatWasDeletedHoldsNothing) {
  const Client client = Client::open(url_).value();
  Mutex mutex(client, "job");
  const auto hold = mutex.acquire();
  ASSERT_TRUE(hold);
  const auto lost = hold->lost();
  ASSERT_EQ(std::remove(path_.c_str()), 0);
  EXPECT_EQ(Victim(url_).ask("lock job"), "ok")
      << "a new process did not make a new file";
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }, scaled(6s)));
  EXPECT_FALSE(hold->valid());
  const auto again = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::closed);
  EXPECT_NE(again.error().message().find("deleted"), std::string::npos)
      << again.error().message();
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Several users share a segment: they exclude and wake each other, and the claims that
// a killed process leaves behind are ended by another user's process.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "support/other_user.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

class SeveralUsers : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_become_others()) GTEST_SKIP() << kOnlyRoot;
    // systemd makes the folder like this with Group= and RuntimeDirectoryMode=0770.
    ASSERT_EQ(chown(dir_.path().c_str(), 0, kTeam), 0);
    ASSERT_EQ(chmod(dir_.path().c_str(), 0771), 0);
    program_.emplace(HOLDFAST_VICTIM);
  }

  Victim victim_of(unsigned user, unsigned group = kTeam,
                   const std::string& before = "true") const {
    return *Victim::in(Victim::Surroundings::mounts,
                       before + " && exec " + as_user(user, group) +
                           "/bin/sh -c 'echo ready && exec \"$0\"' " +
                           program_->path());
  }

  Victim member(unsigned user) const {
    Victim victim = victim_of(user);
    const std::string opened = victim.ask("open " + url_);
    EXPECT_EQ(opened, "ok") << "user " << user;
    return victim;
  }

  TempDir dir_;
  const std::string path_ = dir_.file("segment");
  const std::string url_ =
      "local://" + path_ + "?mode=0660&group=" + std::to_string(kTeam);
  std::optional<Reachable> program_;
};

TEST_F(SeveralUsers, ExcludeEachOther) {
  Victim one = member(kNobody);
  Victim two = member(kOtherUser);
  ASSERT_EQ(one.ask("lock job"), "ok");
  EXPECT_TRUE(is_error(two.ask("try job"), Errc::timed_out));
  EXPECT_TRUE(is_error(Victim(url_).ask("try job"), Errc::timed_out)) << "root";
}

TEST_F(SeveralUsers, WakeEachOther) {
  Victim one = member(kNobody);
  Victim two = member(kOtherUser);
  ASSERT_EQ(one.ask("lock job"), "ok");
  two.tell("lock job");
  EXPECT_EQ(two.answer(scaled(std::chrono::milliseconds(100))), "")
      << "it does not wait";
  EXPECT_EQ(one.ask("unlock"), "ok");
  EXPECT_EQ(two.answer(), "ok");
}

TEST_F(SeveralUsers, EndTheClaimsOfEachOthersDead) {
  Victim one = member(kNobody);
  Victim two = member(kOtherUser);
  ASSERT_EQ(one.ask("lock job"), "ok");
  two.tell("lock job");
  one.kill();
  EXPECT_EQ(two.answer(), "ok");
  Victim three(url_);
  three.tell("lock job");
  two.kill();
  EXPECT_EQ(three.answer(), "ok") << "root did not get the lock after a user";
}

TEST_F(SeveralUsers, EndTheClaimsOfTheDeadAlsoWhereProcHidesThem) {
  Victim one = member(kNobody);
  ASSERT_EQ(one.ask("lock job"), "ok");
  Victim two =
      victim_of(kOtherUser, kTeam, "mount -t proc -o hidepid=invisible proc /proc");
  ASSERT_EQ(two.ask("open " + url_), "ok");
  EXPECT_TRUE(is_error(two.ask("try job"), Errc::timed_out));
  two.tell("lock job");
  one.kill();
  EXPECT_EQ(two.answer(), "ok");
}

TEST_F(SeveralUsers, KeepOtherUsersOut) {
  Victim one = member(kNobody);
  Victim stranger = victim_of(kOtherUser, 0);
  const std::string answer = stranger.ask("open " + url_);
  EXPECT_TRUE(is_error(answer, Errc::denied)) << answer;
  EXPECT_NE(answer.find("is not in it"), std::string::npos) << answer;
}

TEST_F(SeveralUsers, AUserOutsideTheGroupCannotMakeIt) {
  ASSERT_EQ(chmod(dir_.path().c_str(), 01777), 0);
  Victim stranger = victim_of(kOtherUser, 0);
  EXPECT_TRUE(is_error(stranger.ask("open " + url_), Errc::denied));
  struct stat facts {};
  EXPECT_NE(stat(path_.c_str(), &facts), 0) << "a file was left there";
}

TEST_F(SeveralUsers, AFolderThatAStrangerOwnsIsRefused) {
  ASSERT_EQ(chown(dir_.path().c_str(), kOtherUser, kOtherUser), 0);
  Victim one = victim_of(kNobody);
  const std::string answer = one.ask("open " + url_);
  EXPECT_TRUE(is_error(answer, Errc::denied)) << answer;
  EXPECT_NE(answer.find("could replace"), std::string::npos) << answer;
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Root and other users of one host run the first lines of the README.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "cli/program.h"
#include "support/other_user.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;

class SeveralUsersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_become_others()) GTEST_SKIP() << kOnlyRoot;
    program_.emplace(HOLDFAST_PROGRAM);
  }

  // Runs a script, in which `$0` is the program, with a /dev/shm and a /run of its own.
  Outcome script(const std::string& lines) const {
    const Program files;
    Process shell({"unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
                   "exec 2>" + files.err_file() +
                       "; unset HOLDFAST_URL"
                       "; mount -t tmpfs -o mode=1777 tmpfs /dev/shm"
                       "; mount -t tmpfs -o mode=0755 tmpfs /run; " +
                       lines,
                   program_->path()});
    Outcome outcome;
    while (const auto line = shell.read_line()) outcome.out += *line + "\n";
    outcome.code = shell.wait().value_or(-1);
    outcome.err = contents(files.err_file());
    return outcome;
  }

  // Returns a script in which root holds "job" while the program, started by `then`,
  // tries to get it.
  static std::string while_root_holds(const std::string& options,
                                      const std::string& then) {
    return "\"$0\" run " + options + " job -- " + then + " \"$0\" run -n " + options +
           " job -- echo in";
  }

  std::optional<Reachable> program_;
};

TEST_F(SeveralUsersTest, ByDefaultEachUserIsToldThatTheLocksAreItsOwn) {
  const Outcome both = script(while_root_holds("", as_user(kNobody)));
  EXPECT_EQ(both.out, "in\n") << both.err;
  EXPECT_THAT(both.err, HasSubstr("holdfast: local: these locks are those of user "
                                  "nobody alone, and user root has locks"));
  EXPECT_THAT(both.err, HasSubstr("local:?scope=system is for all users"));
}

TEST_F(SeveralUsersTest, NothingIsSaidIfTheScopeIsGiven) {
  const Outcome meant =
      script(while_root_holds("--url local:?scope=user", as_user(kNobody)));
  EXPECT_EQ(meant.out, "in\n");
  EXPECT_EQ(meant.err, "");
  const Outcome alone = script("\"$0\" run job -- echo in");
  EXPECT_EQ(alone.err, "") << "it warned although there is no other user";
}

TEST_F(SeveralUsersTest, TheSystemsLocksExcludeAllUsers) {
  const Outcome held =
      script(while_root_holds("--url local:?scope=system", as_user(kNobody)));
  EXPECT_EQ(held.code, 75) << held.err;
  EXPECT_EQ(held.out, "");
  EXPECT_THAT(held.err, HasSubstr("lock \"job\" is held"));
}

TEST_F(SeveralUsersTest, OnlyRootMakesTheSystemsLocks) {
  const std::string list = " ls --url 'local:?scope=system'";
  const Outcome early = script(as_user(kNobody) + "\"$0\"" + list);
  EXPECT_EQ(early.code, 77);
  EXPECT_THAT(early.err, HasSubstr("only root may make it; as root, after each start "
                                   "of the host: holdfast" +
                                   list));
  EXPECT_EQ(
      script("umask 077; \"$0\"" + list + "; " + as_user(kNobody) + "\"$0\"" + list)
          .code,
      0);
  const Outcome squatted =
      script("\"$0\"" + list + "; chown 65534 /run/holdfast/system; \"$0\"" + list);
  EXPECT_EQ(squatted.code, 77);
  EXPECT_THAT(squatted.err, HasSubstr("belongs to user nobody instead of root"));
}

TEST_F(SeveralUsersTest, AGroupExcludesItsMembersAndNoOtherUser) {
  const std::string team = std::to_string(kTeam);
  const std::string url = "--url 'local:///dev/shm/team?mode=0660&group=" + team + "'";
  const Outcome member = script(while_root_holds(url, as_user(kNobody, kTeam)));
  EXPECT_EQ(member.code, 75) << member.err;
  const Outcome stranger = script(while_root_holds(url, as_user(kNobody)));
  EXPECT_EQ(stranger.code, 77);
  EXPECT_THAT(stranger.err,
              HasSubstr("/dev/shm/team is for group " + team + ", and user nobody"));
}

TEST_F(SeveralUsersTest, AKilledHolderFreesItForAnotherUser) {
  const std::string url = "--url 'local:///dev/shm/all?mode=0666'";
  const Outcome freed = script(
      "mkfifo /run/held && chmod 666 /run/held; " + as_user(kNobody) + "\"$0\" run " +
      url + " job -- sh -c 'echo held > /run/held; exec sleep 600' & read line < " +
      "/run/held; \"$0\" run -n " + url + " job -- true; echo $?; " +
      "kill -9 $!; \"$0\" run -w 60s " + url + " job -- echo in");
  EXPECT_EQ(freed.out, "75\nin\n") << freed.err;
}

}  // namespace
}  // namespace holdfast::test

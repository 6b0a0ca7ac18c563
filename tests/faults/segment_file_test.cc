// SPDX-License-Identifier: Apache-2.0

// A file that is not a segment, or not this user's, is refused with one sentence and is
// not changed.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>

#include "faults/segment_files.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

class SegmentFile : public testing::Test {
 protected:
  void expect_refused_unchanged(const std::string& bytes, const std::string& what) {
    write_file(path_, bytes);
    EXPECT_TRUE(refused(path_, Errc::incompatible)) << what;
    EXPECT_TRUE(read_file(path_) == bytes) << what << ": it was written to";
  }

  TempDir dir_;
  const std::string path_ = dir_.file("segment");
};

TEST_F(SegmentFile, ThatIsWholeIsOpened) {
  make_segment(path_);
  EXPECT_EQ(try_segment(path_), "");
}

TEST_F(SegmentFile, IsMadeForItsOwnerAlone) {
  make_segment(path_);
  struct stat facts {};
  ASSERT_EQ(stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST_F(SegmentFile, Truncated) {
  const std::string whole = make_segment(path_);
  const std::size_t size = whole.size();
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{12},
        std::size_t{64}, std::size_t{1000}, std::size_t{4095}, std::size_t{4096},
        std::size_t{4097}, size / 4, size / 2, size - 4096, size - 64, size - 1}) {
    expect_refused_unchanged(whole.substr(0, length),
                             "cut at " + std::to_string(length));
  }
}

TEST_F(SegmentFile, WithForeignContent) {
  std::mt19937_64 random(1);
  std::string noise(1 << 20, '\0');
  for (char& each : noise) each = static_cast<char>(random());
  expect_refused_unchanged("hello\n", "a short text");
  expect_refused_unchanged(std::string(4096, '\n'), "a page of newlines");
  expect_refused_unchanged(std::string(1 << 20, '\0'), "zeros");
  expect_refused_unchanged(noise, "noise");
}

TEST_F(SegmentFile, OfANewerVersion) {
  std::string bytes = make_segment(path_);
  std::uint32_t version = 0;
  std::memcpy(&version, bytes.data() + 8, sizeof version);
  ASSERT_EQ(version, 3u) << "the version is the word after the magic number";
  ++version;
  std::memcpy(bytes.data() + 8, &version, sizeof version);
  expect_refused_unchanged(bytes, "version 3");
  EXPECT_NE(try_segment(path_).find("version"), std::string::npos);
}

TEST_F(SegmentFile, ThatOthersMayRead) {
  const std::string bytes = make_segment(path_);
  for (const mode_t mode : {0644u, 0660u, 0666u, 0604u}) {
    chmod(path_.c_str(), mode);
    EXPECT_TRUE(refused(path_, Errc::denied)) << std::oct << mode;
  }
  EXPECT_TRUE(read_file(path_) == bytes);
}

TEST_F(SegmentFile, OfAnotherOwner) {
  make_segment(path_);
  if (chown(path_.c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "only root can give a file away";
  }
  EXPECT_TRUE(refused(path_, Errc::denied));
}

const std::string kForAll = "?mode=0666";
const std::string kForGroup = "?mode=0660&group=" + std::to_string(getegid());

TEST_F(SegmentFile, IsMadeForTheUsersThatTheUrlNames) {
  for (const auto& [query, mode] : {std::pair(kForAll, 0666u), {kForGroup, 0660u}}) {
    auto strict = Victim::in(Victim::Surroundings::limits, "umask 077");
    ASSERT_TRUE(strict);
    EXPECT_EQ(strict->ask("open local://" + path_ + query), "ok");
    struct stat facts {};
    ASSERT_EQ(stat(path_.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, mode) << "the umask has changed the mode";
    EXPECT_EQ(facts.st_gid, getegid());
    std::filesystem::remove(path_);
  }
}

TEST_F(SegmentFile, IsNotChangedToAnotherMode) {
  make_segment(path_);
  EXPECT_TRUE(refused(path_, Errc::denied, kForAll));
  EXPECT_TRUE(refused(path_, Errc::denied, kForGroup));
  chmod(path_.c_str(), 0666);
  EXPECT_TRUE(refused(path_, Errc::denied, kForGroup));
  EXPECT_EQ(try_segment(path_, kForAll), "");
}

TEST_F(SegmentFile, OfAnotherGroup) {
  ASSERT_EQ(try_segment(path_, kForGroup), "");
  if (chown(path_.c_str(), uid_t(-1), 65534) != 0) {
    GTEST_SKIP() << "only root can give a file to any group";
  }
  EXPECT_TRUE(refused(path_, Errc::denied, kForGroup));
}

TEST_F(SegmentFile, ThatIsSharedDoesNotLieBehindALink) {
  const std::string link = dir_.file("link");
  std::filesystem::create_directory(dir_.file("folder"));
  std::filesystem::create_directory_symlink(dir_.file("folder"), link);
  EXPECT_TRUE(refused(link + "/segment", Errc::incompatible, kForAll));
  EXPECT_TRUE(std::filesystem::is_empty(link));
  EXPECT_EQ(try_segment(link + "/segment"), "")
      << "a segment of one user may lie behind a link";
}

TEST_F(SegmentFile, ThatIsSharedIsNotItselfALink) {
  ASSERT_EQ(try_segment(dir_.file("target"), kForAll), "");
  std::filesystem::create_symlink(dir_.file("target"), path_);
  EXPECT_TRUE(refused(path_, Errc::incompatible, kForAll));
}

TEST_F(SegmentFile, OfAGroupIsNotWhereAnyUserCouldReplaceIt) {
  chmod(dir_.path().c_str(), 0777);
  EXPECT_TRUE(refused(path_, Errc::denied, kForGroup));
  chmod(dir_.path().c_str(), 01777);
  EXPECT_EQ(try_segment(path_, kForGroup), "") << "a sticky folder is safe";
}

TEST_F(SegmentFile, ThatIsADirectory) {
  std::filesystem::create_directory(path_);
  EXPECT_TRUE(refused(path_, Errc::incompatible));
}

TEST_F(SegmentFile, ThatIsASymbolicLink) {
  const std::string target = dir_.file("target");
  const std::string bytes = make_segment(target);
  std::filesystem::create_symlink(target, path_);
  EXPECT_TRUE(refused(path_, Errc::incompatible));
  EXPECT_TRUE(read_file(target) == bytes);
}

TEST_F(SegmentFile, ThatIsAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(refused(path_, Errc::incompatible));
}

TEST_F(SegmentFile, IsNeverAStandardDescriptor) {
  make_segment(path_);
  auto closed = Victim::in(Victim::Surroundings::limits, "exec 2>&-");
  ASSERT_TRUE(closed);
  ASSERT_EQ(closed->ask("open local://" + path_), "ok");
  const auto stderr_of = "/proc/" + std::to_string(closed->process().pid()) + "/fd/2";
  EXPECT_FALSE(std::filesystem::exists(stderr_of))
      << std::filesystem::read_symlink(stderr_of);
}

TEST_F(SegmentFile, IsNotChosenByTheUserWhoStartsASetUidProgram) {
  const auto start = [&](const char* mode) {
    const std::string copy = dir_.file(mode);
    return Victim::in(Victim::Surroundings::mounts,
                      "mount -t tmpfs tmpfs /dev/shm && export HOLDFAST_URL=local://" +
                          path_ + " && cp \"$0\" " + copy + " && chmod " + mode + " " +
                          copy + " && chmod 755 " + dir_.path() +
                          " && echo ready && exec setpriv --reuid 65534 --regid 65534 "
                          "--clear-groups " +
                          copy);
  };
  auto plain = start("0755");
  if (!plain || plain->ask("open local:///nowhere/x").empty()) {
    GTEST_SKIP() << "only root can become another user";
  }
  auto raised = start("4755");
  ASSERT_TRUE(raised);
  (void)raised->ask("open");  // by default in /dev/shm, which no other process sees
  EXPECT_FALSE(std::filesystem::exists(path_)) << "any user can make files as root";
}

TEST_F(SegmentFile, InAFolderThatIsNotThere) {
  const std::string lost = dir_.file("no/such/folder/segment");
  EXPECT_TRUE(refused(lost, Errc::unavailable));
}

TEST_F(SegmentFile, InAFolderThatMayNotBeWrittenTo) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(dir_.path().c_str(), 0500);
  EXPECT_TRUE(refused(path_, Errc::denied));
  chmod(dir_.path().c_str(), 0700);
}

TEST_F(SegmentFile, ThatMayNotBeWrittenTo) {
  make_segment(path_);
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(path_.c_str(), 0400);
  EXPECT_TRUE(refused(path_, Errc::denied));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/access.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace holdfast::local {
namespace {

constexpr Access kOwnFile{.mode = 0600, .group = {}};
constexpr Access kGroupFile{.mode = 0660, .group = 4711};
constexpr Access kSystemAccess{.mode = 0666, .group = {}, .of_root = true};

struct stat file_of(uid_t user, gid_t group, mode_t mode) {
  struct stat file {};
  file.st_uid = user;
  file.st_gid = group;
  file.st_mode = S_IFREG | mode;
  return file;
}

// Returns what the error says, or an empty text if the file is accepted.
std::string objection(const struct stat& file, const Access& access) {
  const auto checked = check_access("/run/f", file, access);
  if (checked) return {};
  EXPECT_EQ(checked.error().code, Errc::denied);
  return checked.error().context;
}

testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << '"' << text << "\" does not say \"" << part << '"';
}

TEST(LocalAccess, AFileThatIsAsTheUrlSaysIsAccepted) {
  const uid_t me = ::geteuid();
  EXPECT_EQ(objection(file_of(me, 1, 0600), kOwnFile), "");
  EXPECT_EQ(objection(file_of(me, 4711, 0660), kGroupFile), "");
  EXPECT_EQ(objection(file_of(me + 1, 4711, 0660), kGroupFile), "");
  EXPECT_EQ(objection(file_of(0, 1, 0666), kSystemAccess), "");
}

TEST(LocalAccess, AnotherOwnerIsRefusedUnlessTheFileIsShared) {
  EXPECT_TRUE(
      says(objection(file_of(::geteuid() + 1, 1, 0600), kOwnFile), "another user"));
  EXPECT_TRUE(says(objection(file_of(77, 1, 0666), kSystemAccess), "instead of root"));
}

TEST(LocalAccess, AnotherModeIsRefused) {
  const uid_t me = ::geteuid();
  EXPECT_TRUE(says(objection(file_of(me, 1, 0644), kOwnFile), "has mode 0644"));
  EXPECT_TRUE(says(objection(file_of(me, 1, 0644), kOwnFile), "chmod it to 0600"));
  EXPECT_TRUE(says(objection(file_of(me, 4711, 0666), kGroupFile), "0666 where 0660"));
  EXPECT_TRUE(says(objection(file_of(me, 4711, 02660), kGroupFile), "mode 2660"));
}

TEST(LocalAccess, AnotherGroupIsRefused) {
  EXPECT_TRUE(
      says(objection(file_of(::geteuid(), 4712, 0660), kGroupFile), "4712 where 4711"));
}

TEST(LocalAccess, AGroupIsFoundByNumberOrName) {
  EXPECT_EQ(find_group("4711"), gid_t{4711});
  EXPECT_EQ(find_group(group_name(0)), gid_t{0});
  EXPECT_FALSE(find_group("4711x"));
  EXPECT_FALSE(find_group("4294967295")) << "it means that no group is chosen";
  EXPECT_FALSE(find_group("no such group"));
  EXPECT_FALSE(find_group(""));
}

}  // namespace
}  // namespace holdfast::local

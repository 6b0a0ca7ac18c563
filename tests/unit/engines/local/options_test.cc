// SPDX-License-Identifier: Apache-2.0

#include "engines/local/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace holdfast::local {
namespace {

Options options_of(const std::string& url) {
  return read_options(base::parse_uri(url).value()).value();
}

TEST(LocalOptions, WithoutAPathTheFileIsThisUsers) {
  const std::string path = "/dev/shm/holdfast-" + std::to_string(::geteuid());
  for (const char* const url : {"local:", "local:?scope=user"}) {
    EXPECT_EQ(options_of(url).path, path) << url;
    EXPECT_EQ(options_of(url).access.mode, 0600) << url;
    EXPECT_FALSE(options_of(url).access.shared()) << url;
  }
}

TEST(LocalOptions, OnlyAScopeThatWasNotChosenIsWarnedOf) {
  EXPECT_TRUE(options_of("local:").unsaid);
  EXPECT_FALSE(options_of("local:?scope=user").unsaid);
  EXPECT_FALSE(options_of("local:?scope=system").unsaid);
  EXPECT_FALSE(options_of("local:///run/app/locks").unsaid);
}

TEST(LocalOptions, TheFileOfAllUsersIsRoots) {
  const Options options = options_of("local:?scope=system");
  EXPECT_EQ(options.path, "/run/holdfast/system");
  EXPECT_EQ(options.access.mode, 0666);
  EXPECT_TRUE(options.access.of_root);
}

TEST(LocalOptions, APathIsSharedAsTheUrlSays) {
  const Options own = options_of("local:///run/app/locks");
  EXPECT_EQ(own.path, "/run/app/locks");
  EXPECT_EQ(own.access.mode, 0600);
  EXPECT_FALSE(own.access.of_root);
  EXPECT_EQ(options_of("local:///run/app/locks?mode=0600").access.mode, 0600);
  EXPECT_EQ(options_of("local:///run/app/locks?mode=0666").access.mode, 0666);
  const Options group = options_of("local:///run/app/locks?mode=0660&group=4711");
  EXPECT_EQ(group.access.mode, 0660);
  EXPECT_EQ(group.access.group, gid_t{4711});
}

}  // namespace
}  // namespace holdfast::local

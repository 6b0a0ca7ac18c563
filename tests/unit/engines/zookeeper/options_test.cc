// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::zookeeper {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<Options> read(const std::string& url) {
  const auto uri = base::parse_uri(url);
  if (!uri) return uri.error();
  return read_options(*uri);
}

TEST(ZookeeperOptionsTest, TheDefaults) {
  const auto options = read("zookeeper://");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->spelt(), "127.0.0.1:2181");
  EXPECT_EQ(options->root, "");
  EXPECT_FALSE(options->raw_names);
  EXPECT_FALSE(options->hand_over);
  EXPECT_FALSE(options->tick_time);
  EXPECT_EQ(options->user, "");
  EXPECT_TRUE(options->password.empty());
}

TEST(ZookeeperOptionsTest, HostsAndRoot) {
  EXPECT_EQ(read("zookeeper://h").value().spelt(), "h:2181");
  EXPECT_EQ(read("zookeeper://a,b:2182,c").value().spelt(), "a:2181,b:2182,c:2181");
  EXPECT_EQ(read("zookeeper://[::1]:7").value().spelt(), "[::1]:7");
  EXPECT_EQ(read("zookeeper://a,b/app/locks").value().root, "/app/locks");
  EXPECT_EQ(read("zookeeper://a/app/").value().root, "/app");
  EXPECT_EQ(read("zookeeper://a/").value().root, "");
  EXPECT_TRUE(read("zookeeper://a?names=raw").value().raw_names);
  EXPECT_FALSE(read("zookeeper://a?names=encoded").value().raw_names);
  EXPECT_TRUE(read("zookeeper://a?hand_over=yes").value().hand_over);
  EXPECT_EQ(read("zookeeper://a?tick_time=500ms").value().tick_time,
            std::chrono::milliseconds(500));
}

TEST(ZookeeperOptionsTest, WhatIsWrongIsNamed) {
  for (const char* url :
       {"zookeeper://h/a//b", "zookeeper://h/a/../b", "zookeeper://h?names=odd",
        "zookeeper://h?name=raw", "zookeeper://h?password_file=",
        "zookeeper://h?hand_over=maybe", "zookeeper://h?tick_time=2",
        "zookeeper://h?tick_time=0s", "zookeeper://:c4n4ry@h"}) {
    const auto options = read(url);
    ASSERT_FALSE(options) << url;
    EXPECT_EQ(options.error().code, Errc::bad_url) << url;
    EXPECT_THAT(options.error().message(), Not(HasSubstr("c4n4ry")));
  }
}

TEST(ZookeeperOptionsTest, TlsIsRefused) {
  const auto options = read("zookeepers://h");
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, Errc::unsupported);
  EXPECT_THAT(options.error().message(), HasSubstr("TLS"));
}

TEST(ZookeeperOptionsTest, ThePasswordMayBeInAFile) {
  const test::TempDir dir;
  std::ofstream(dir.file("secret")) << "c4n4ry\n";
  const auto options = read("zookeeper://ann@h?password_file=" + dir.file("secret"));
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->user, "ann");
  EXPECT_FALSE(options->password.empty());
  const auto missing = read("zookeeper://ann@h?password_file=" + dir.file("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::denied);
}

}  // namespace
}  // namespace holdfast::zookeeper

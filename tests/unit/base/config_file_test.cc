// SPDX-License-Identifier: Apache-2.0

#include "base/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST(ConfigFileTest, ReadsEveryKey) {
  const auto config = parse_config(
      "# a comment\n"
      "type = redis\r\n"
      "\n"
      "  address=10.0.0.1:6379 , [::1]:7000\n"
      "path = /2\n"
      "user = app\n"
      "password = \"s3 cret\"\n"
      "layout = string\n"
      "ttl = 5s\n"
      "payload = web 7\n",
      "f");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->uri.scheme, "redis");
  ASSERT_EQ(config->uri.hosts.size(), 2u);
  EXPECT_EQ(config->uri.hosts[1], (Host{"::1", 7000}));
  EXPECT_EQ(config->uri.path, "/2");
  EXPECT_EQ(config->uri.user, "app");
  EXPECT_EQ(config->uri.password.reveal(), "s3 cret");
  EXPECT_THAT(config->uri.query,
              testing::ElementsAre(testing::Pair("layout", "string")));
  EXPECT_EQ(config->ttl, 5s);
  EXPECT_EQ(config->payload, "web 7");
}

TEST(ConfigFileTest, TakesAUrlInstead) {
  const auto config =
      parse_config("ttl = 5s\nurl = redis://app:pw@h:1/2?layout=string\n", "f");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->uri.redacted(), "redis://app:***@h:1/2?layout=string");
  EXPECT_EQ(config->ttl, 5s);
  EXPECT_TRUE(config->has_password());

  const auto quorum =
      parse_config("url = quorum:local:///a,local:///b,local:///c", "f");
  ASSERT_TRUE(quorum) << quorum.error().message();
  EXPECT_EQ(quorum->uri.parts.size(), 3u);
}

TEST(ConfigFileTest, TakesTheNodesOfAQuorum) {
  const auto config = parse_config(
      "type = quorum\nnode = redis://a\nnode = redis://:pw@b\nnode = etcd://c,d\n",
      "f");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->uri.scheme, "quorum");
  ASSERT_EQ(config->uri.parts.size(), 3u);
  EXPECT_EQ(config->uri.parts[2].hosts.size(), 2u) << "a node may be a cluster";
  EXPECT_TRUE(config->has_password());
}

TEST(ConfigFileTest, NeedsNoMoreThanAType) {
  const auto config = parse_config("type=local", "f");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_FALSE(config->ttl);
  EXPECT_FALSE(config->payload);
}

TEST(ConfigFileTest, SaysWhatIsWrongAndWhere) {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"", "f: type is missing"},
      {"= x", "f:1: expected key = value"},
      {"url = local:\nurl = local:", "f:2: url is given twice"},
      {"url = local:\ntype = local", "f:2: type cannot stand beside url"},
      {"layout = string\nurl = redis://h", "f:1: layout cannot stand beside url"},
      {"url = redis://h:0", "f:1: bad URL: the port"},
      {"type = redis\nnode = redis://a", "f:2: node belongs to type = quorum"},
      {"type = quorum\naddress = a", "f:2: address cannot stand beside type = quorum"},
      {"type = quorum\nnode = nonsense", "f:2: bad URL: it must start"},
      {"type = quorum\nnode = quorum:local:", "f:2: bad URL: a node of a quorum is"},
      {"type local", "f:1: expected key = value"},
      {"type =", "f:1: type has no value"},
      {"type = local\ntype = redis", "f:2: type is given twice"},
      {"type = redis\naddress = a:b", "f:2: address"},
      {"type = redis\naddress = ,", "f:2: address"},
      {"type = local\npath = rel", "f:2: path must begin"},
      {"type = local\n\nttl = soon", "f:3: \"soon\" is not a duration"},
  };
  for (const Row& row : rows) {
    const auto config = parse_config(row.text, "f");
    ASSERT_FALSE(config) << row.text;
    EXPECT_EQ(config.error().code, Errc::bad_config);
    EXPECT_THAT(config.error().message(), HasSubstr(row.message));
  }
}

TEST(ConfigFileTest, NeverShowsAPassword) {
  for (const char* text :
       {"type = redis\npassword = canary\nttl = 1",
        "password = canary\nurl = local:", "url = redis://:canary@h:0",
        "type = redis\npassword = canary\nnode = local:"}) {
    const auto config = parse_config(text, "f");
    ASSERT_FALSE(config) << text;
    EXPECT_THAT(config.error().message(), Not(HasSubstr("canary")));
  }
}

TEST(ConfigFileTest, WarnsOfAPasswordThatOthersMayRead) {
  const test::TempDir folder;
  const auto path = folder.file("holdfast.conf");
  const auto warning = [&path](const char* text, mode_t mode) {
    std::ofstream(path) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return read_config(path).value().warning;
  };
  for (const char* text : {"type = redis\npassword = canary", "url = redis://:canary@h",
                           "type = quorum\nnode = redis://:canary@h"}) {
    for (const mode_t mode : {0640, 0604}) {
      EXPECT_THAT(warning(text, mode), HasSubstr(path + " holds a password"));
      EXPECT_THAT(warning(text, mode), Not(HasSubstr("canary")));
    }
    EXPECT_EQ(warning(text, 0600), "");
  }
  EXPECT_EQ(warning("type = redis", 0644), "");
}

TEST(ConfigFileTest, ReadsAFile) {
  const test::TempDir folder;
  const auto path = folder.file("holdfast.conf");
  std::ofstream(path) << "type = local\npath = /x\n";
  const auto config = read_config(path);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->uri.path, "/x");
}

TEST(ConfigFileTest, SaysWhichFileIsMissing) {
  const auto config = read_config("/nonexistent/holdfast.conf");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Errc::bad_config);
  EXPECT_THAT(config.error().message(), HasSubstr("/nonexistent/holdfast.conf"));
}

}  // namespace
}  // namespace holdfast::base

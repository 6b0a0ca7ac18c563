#include "base/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(config->ttl, 5s);
  EXPECT_EQ(config->payload, "web 7");
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
      {"type = local\nfoo = 1", "f:2: unknown key \"foo\""},
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
  const auto config = parse_config("type = redis\npassword = canary\nfoo = 1", "f");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), Not(HasSubstr("canary")));
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

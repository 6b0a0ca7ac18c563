// SPDX-License-Identifier: Apache-2.0

// A password never shows: not in errors, not in warnings, not to other users.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/bad_url.h"
#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SecretTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SecretTest, NeverShows) {
  for (std::vector<std::string> args : {std::vector<std::string>{"run", "job", "true"},
                                        {"ls"},
                                        {"show", "job"},
                                        {"unlock", "job", "--force"}}) {
    Program holdfast;
    args.insert(args.begin() + 1, {"--url", GetParam()});
    const Outcome given = holdfast(args);
    EXPECT_NE(given.code, 0);
    EXPECT_THAT(given.out + given.err, Not(HasSubstr(kCanary)));
    EXPECT_THAT(given.err, HasSubstr("a password in --url"));

    args.erase(args.begin() + 1, args.begin() + 3);
    holdfast.set("HOLDFAST_URL=" + GetParam());
    const Outcome inherited = holdfast(args);
    EXPECT_NE(inherited.code, 0);
    EXPECT_THAT(inherited.out + inherited.err, Not(HasSubstr(kCanary)));
    EXPECT_THAT(inherited.err, Not(HasSubstr("a password in --url")));
  }
}

INSTANTIATE_TEST_SUITE_P(Urls, SecretTest,
                         ::testing::Values("bogus://app:c4n4ry@host/db",
                                           "bogus://app:c4n4ry@host:99999999/db",
                                           "bogus://:c4n4ry@host",
                                           "bogus:app:c4n4ry@host",
                                           "local://app:c4n4ry@host/x y",
                                           "//app:c4n4ry@%zz"));

TEST(SecretTest, InAConfigFileThatOthersMayReadIsWarnedOf) {
  Program holdfast;
  const std::string config = holdfast.file("conf");
  std::ofstream(config) << "url = bogus://:c4n4ry@host\n";
  for (const bool open : {true, false}) {
    ASSERT_EQ(::chmod(config.c_str(), open ? 0644 : 0600), 0);
    const Outcome run = holdfast({"run", "--config", config, "job", "true"});
    EXPECT_EQ(run.code, 78) << run.err;
    EXPECT_EQ(run.err.find("run chmod 600 on it") != std::string::npos, open);
    EXPECT_THAT(run.out + run.err, Not(HasSubstr(kCanary)));
  }
}

TEST(SecretTest, DoesNotChangeAnAnswer) {
  Program holdfast;
  const std::string url = holdfast.url();
  holdfast.set("HOLDFAST_URL=redis://:1@127.0.0.1:1");
  const Outcome text = holdfast({"counter", "c", "set", "1112", "--url", url});
  EXPECT_EQ(text.out, "1112\n") << text.err;
  EXPECT_THAT(holdfast({"counter", "c", "get", "--json", "--url", url}).out,
              HasSubstr("1112"));
  EXPECT_THAT(holdfast({"run", "a", "--url", url, "no-such-1-command"}).err,
              HasSubstr("no-such-1-command"));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// The flash sale, as a user sees it who has just cloned the project.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "cli/program.h"
#include "cli/servers.h"
#include "support/sanitizers.h"
#if HOLDFAST_WITH_REDIS
#include "support/redis_server.h"
#endif

namespace holdfast::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;

const std::vector<std::string> kSmallSale = {"demo", "--stock",   "60", "--shops",
                                             "2",    "--threads", "4"};
constexpr const char* kSmallSaleLine = "demo --stock 60 --shops 2 --threads 4";

class DemoTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kThreadSanitizer) {
      GTEST_SKIP() << "the sanitizer cannot see how SQLite guards its shared memory";
    }
  }

  // Returns what a terminal shows.
  std::string on_terminal(const std::string& environment) const {
    Process shell(
        {"script", "-qec", environment + " '" HOLDFAST_PROGRAM "' " + kSmallSaleLine,
         "/dev/null"},
        {"HOLDFAST_URL=" + holdfast_.url(), "TERM=xterm"});
    std::string text;
    while (const auto line = shell.read_line()) text += *line + "\n";
    EXPECT_EQ(shell.wait(), 0) << text;
    return text;
  }

  Program holdfast_;
};

TEST_F(DemoTest, TellsWhatCameOfItInEightyColumns) {
  const Outcome sale = holdfast_(kSmallSale);
  EXPECT_EQ(sale.code, 0) << sale.err;
  EXPECT_EQ(sale.err, "");
  EXPECT_THAT(
      sale.out,
      AllOf(HasSubstr("one SQL                 ######################  exact"),
            HasSubstr("Holdfast Mutex          ######################  exact"),
            HasSubstr("wrong: "), HasSubstr("take it when "), HasSubstr("costs "),
            HasSubstr("Nothing lost, nothing sold twice."),
            HasSubstr("a greater token, and refuses it."), Not(HasSubstr("\033"))));
  std::istringstream lines(sale.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("export PATH") == std::string::npos) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST_F(DemoTest, HasColoursOnATerminalOnlyAndNotAgainstTheUsersWill) {
  EXPECT_THAT(on_terminal(""), HasSubstr("\033["));
  EXPECT_THAT(on_terminal("NO_COLOR=1"), Not(HasSubstr("\033[")));
}

TEST_F(DemoTest, WhatToTryNextWorksAsPrinted) {
  const Outcome sale = holdfast_(kSmallSale);
  const auto start = sale.out.find("What to try next:\n");
  ASSERT_NE(start, std::string::npos) << sale.out;
  EXPECT_THAT(sale.out, HasSubstr("./dev shop\n"));
  std::istringstream lines(sale.out.substr(start));
  std::string first;
  std::string show;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    (line.find("holdfast show") == std::string::npos ? first : show) += line + "\n";
  }
  // A person needs a moment between the two. What was started ends with the shell.
  const std::string script = first + "trap 'kill $!' EXIT; i=0; until " +
                             show.substr(0, show.find('#')) +
                             "; do [ $((i+=1)) -lt 200 ] || exit 1; sleep 0.1; done";
  Process shell({"/bin/sh", "-c", script}, {"HOLDFAST_URL=" + holdfast_.url()});
  EXPECT_EQ(shell.read_line(), "mutex \"my-job\"") << sale.out;
  EXPECT_EQ(shell.wait(), 0);
}

TEST_F(DemoTest, NeverWaitsForALockOfTheUsers) {
  Process production = holdfast_.hold("stock/1001", kUntilTold);
  EXPECT_EQ(holdfast_(kSmallSale).code, 0);
}

TEST_F(DemoTest, SaysThatAWayTookTooLong) {
  const Outcome sale =
      holdfast_({"demo", "--stock", "200000", "--seconds-per-strategy", "0.1"});
  EXPECT_THAT(sale.out, testing::ContainsRegex("one SQL +#*\\.+  stopped after 0\\."));
}

#if HOLDFAST_WITH_REDIS
TEST_F(DemoTest, SaysOnceWhatTheEngineWarnsOf) {
  const RedisServer forgetful;
  holdfast_.set("HOLDFAST_URL=" + forgetful.url());
  const Outcome sale = holdfast_(kSmallSale);
  EXPECT_EQ(sale.err, "");
  const auto at = sale.out.find("appendonly");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(sale.out.find("appendonly", at + 1), std::string::npos);
  EXPECT_LT(at, sale.out.find("no lock")) << "the warning is not above the table";
}
#endif

class DemoOnServers : public testing::TestWithParam<ServerEngine> {};

TEST_P(DemoOnServers, ShowsItsScenesWithoutALongSilence) {
  if (kThreadSanitizer) {
    GTEST_SKIP() << "the sanitizer cannot see how SQLite guards its shared memory";
  }
  const Served served = GetParam().serve();
  Program holdfast;
  holdfast.set("HOLDFAST_URL=" + served.url);
  std::vector<std::string> args = kSmallSale;
  args.emplace_back("--json");
  const Outcome sale = holdfast(args);
  ASSERT_EQ(sale.code, 0) << sale.err;
  std::smatch resumed;
  ASSERT_TRUE(
      std::regex_search(sale.out, resumed, std::regex(R"("resumed_ms": ([\d.]+))")));
  const double most = static_cast<double>(scaled(std::chrono::seconds(10)).count());
  EXPECT_THAT(std::stod(resumed[1]), Lt(most)) << "the default ttl is 30 s";
  EXPECT_THAT(sale.out, HasSubstr(R"("refused": true)"));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DemoOnServers);
INSTANTIATE_TEST_SUITE_P(, DemoOnServers, testing::ValuesIn(server_engines()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace holdfast::test

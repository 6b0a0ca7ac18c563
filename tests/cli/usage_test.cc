// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/error_object.h"
#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Misuse {
  std::vector<std::string> args;
  int code;
  std::string says;
};

void PrintTo(const Misuse& misuse, std::ostream* out) {
  for (const std::string& arg : misuse.args) *out << arg << ' ';
}

class UsageTest : public ::testing::TestWithParam<Misuse> {};

// The message is one sentence. After a mistake in the usage, one more line says where
// to read on.
TEST_P(UsageTest, SaysWhatIsWrong) {
  const Misuse& misuse = GetParam();
  const Outcome outcome = Program()(misuse.args);
  EXPECT_EQ(outcome.code, misuse.code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("holdfast"));
  EXPECT_THAT(outcome.err, HasSubstr(misuse.says));
  const auto lines = std::count(outcome.err.begin(), outcome.err.end(), '\n');
  EXPECT_EQ(lines, misuse.code == 64 ? 2 : 1) << outcome.err;
  EXPECT_EQ(outcome.err.find("\nsee holdfast") != std::string::npos, misuse.code == 64);
}

// With --json the message is one object, and nothing else.
TEST_P(UsageTest, SaysItAsJson) {
  const Misuse& misuse = GetParam();
  std::vector<std::string> args = misuse.args;
  args.insert(args.begin() + 1, "--json");
  const Outcome outcome = Program()(args);
  EXPECT_EQ(outcome.code, misuse.code);
  EXPECT_THAT(outcome.err, IsAnErrorObject(misuse.code));
}

const std::string kLong(600, 'x');

INSTANTIATE_TEST_SUITE_P(
    Verbs, UsageTest,
    ::testing::Values(
        Misuse{{"frobnicate"}, 64, "there is no verb 'frobnicate'"},
        Misuse{{"shwo"}, 64, "there is no verb 'shwo'; did you mean show?"},
        Misuse{{"help", "lactch"}, 64, "did you mean latch?"},
        Misuse{{"ls", "--jsno"}, 64, "no option '--jsno'; did you mean --json?"},
        Misuse{{"run", "--onlost=kill", "a", "true"}, 64, "did you mean --on-lost?"},
        Misuse{{"run", "-Z", "a", "true"}, 64, "there is no option '-Z'"},
        Misuse{{"--frobnicate"}, 64, "frobnicate"},
        Misuse{{"--url", "local:", "ls"}, 64, "options come after a verb"},
        Misuse{{"run"}, 64, "NAME is missing"},
        Misuse{{"run", "a"}, 64, "the command is missing"},
        Misuse{{"run", "a", "--"}, 64, "the command is missing"},
        Misuse{{"run", "--frobnicate", "a", "true"}, 64, "--frobnicate"},
        Misuse{{"run", "-s", "--write", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "-x", "-s", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "--fair", "--read", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "--fair", "--permits", "2", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "--write", "--permits", "2", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "--permits", "a", "true"}, 64, "--permits"},
        Misuse{{"run", "--permits", "0", "a", "true"}, 64, "--permits"},
        Misuse{{"run", "--permits", "-2", "a", "true"}, 64, "--permits"},
        Misuse{{"run", "--permits", "99999999999", "a", "true"}, 64, "--permits"},
        Misuse{{"run", "-n", "-w", "1s", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "--ttl", "1s", "--lease", "1s", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "-w"}, 64, "--wait"},
        Misuse{{"run", "-w", "soon", "a", "true"}, 64, "'soon' is not a duration"},
        Misuse{{"run", "--lease", "0", "a", "true"}, 64, "longer than zero"},
        Misuse{{"run", "-E", "256", "a", "true"}, 64, "0 to 255"},
        Misuse{{"run", "-E", "x", "a", "true"},
               64,
               "'x' is not a whole number from 0 to 255"},
        Misuse{{"run", "a", "-c"}, 64, "--command needs a STRING"},
        Misuse{{"hold", "a", "b"}, 64, "'b' is one argument too many"},
        Misuse{{"hold", "a", "b\nc"}, 64, "'b?c' is one argument too many"},
        Misuse{{"run", "--url", "", "a", "true"}, 64, "an empty URL names no engine"},
        Misuse{{"ls", "--url", ""}, 64, "an empty URL names no engine"},
        Misuse{{"run", "--signal", "NOPE", "a", "true"}, 64, "'NOPE' is not a signal"},
        Misuse{{"run", "--on-lost", "pray", "a", "true"}, 64, "term, kill or warn"},
        Misuse{{"run", "-c", "true", "a", "true"}, 64, "not both"},
        Misuse{{"run", "", "true"}, 65, "name"},
        Misuse{{"run", "a\nb", "true"}, 65, "name"},
        Misuse{{"run", kLong, "true"}, 65, "name"},
        Misuse{{"run", "--url", "bogus://x", "a", "true"}, 78, "bogus"},
        Misuse{{"run", "--url", "no url", "a", "true"}, 78, "URL"},
        Misuse{
            {"run", "--config", "/nonexistent/file", "a", "true"}, 78, "/nonexistent"},
        Misuse{{"run", "--url", "local:///proc/nowhere/x", "a", "true"}, 69, "/proc"},
        Misuse{{"ls", "--frobnicate"}, 64, "--frobnicate"},
        Misuse{{"ls", "a", "b"}, 64, "b"},
        Misuse{{"ls", "--url", "bogus://x"}, 78, "bogus"}, Misuse{{"show"}, 64, "NAME"},
        Misuse{{"show", ""}, 65, "name"},
        Misuse{{"show", "--url", "bogus://x", "a"}, 78, "bogus"},
        Misuse{{"show", "nothing-there"}, 1, "nothing-there"},
        Misuse{{"unlock"}, 64, "NAME"},
        Misuse{{"unlock", "a"}, 64, "--token N, or --force"},
        Misuse{{"unlock", "a", "--token", "x"}, 64, "'x' is not a whole number"},
        Misuse{{"unlock", "a", "--token", "x\n"}, 64, "'x?' is not a whole number"},
        Misuse{{"unlock", "a", "--token", "1", "--force"}, 64, "excludes"},
        Misuse{{"unlock", "", "--force"}, 65, "name"},
        Misuse{{"unlock", "a", "--force"}, 1, "not held"},
        Misuse{{"unlock", "a", "--token", "7"}, 1, "not held under token 7"},
        Misuse{{"gc", "a"}, 64, "a"},
        Misuse{{"gc", "--older-than"}, 64, "--older-than"},
        Misuse{{"gc", "--older-than", "-1s"}, 64, "'-1s' is not a duration"},
        Misuse{{"gc", "--older-than", "long"}, 64, "'long' is not a duration"},
        Misuse{{"gc", "--url", "bogus://x"}, 78, "bogus"},
        Misuse{{"schema"}, 64, "ENGINE"},
        Misuse{{"schema", "mysql", "redis"}, 64, "redis"},
        Misuse{{"schema", "--url", "local:", "mysql"}, 64, "--url"},
        Misuse{{"schema", ""}, 78, "there is no engine"},
        Misuse{{"schema", "local"}, 78, "engine 'local' needs no tables"},
        Misuse{{"schema", "bogus"}, 78, "there is no engine 'bogus'"},
        Misuse{{"schema", "loc"}, 78, "there is no engine"},
        Misuse{{"schema", "a\nb"}, 78, "there is no engine"}));

INSTANTIATE_TEST_SUITE_P(
    Actions, UsageTest,
    ::testing::Values(
        Misuse{{"counter"}, 64, "NAME is missing"},
        Misuse{{"counter", "a"}, 64, "say what to do: get, add, set or cas"},
        Misuse{{"counter", "a", "mul"}, 64, "'mul' is not one of get, add, set or cas"},
        Misuse{{"counter", "a", "get", "1"}, 64, "get takes no number"},
        Misuse{{"counter", "a", "add", "1", "2"}, 64, "add takes at most 1 number"},
        Misuse{{"counter", "a", "add", "x"}, 64, "'x' is not a whole number"},
        Misuse{{"counter", "a", "add", "1.5"}, 64, "'1.5' is not a whole number"},
        Misuse{{"counter", "a", "add", "-"}, 64, "'-' is not a whole number"},
        Misuse{{"counter", "a", "add", ""}, 64, "'' is not a whole number"},
        Misuse{{"counter", "a", "set"}, 64, "set takes 1 number"},
        Misuse{{"counter", "a", "cas", "1"}, 64, "cas takes 2 numbers"},
        Misuse{{"counter", "a", "add", "9223372036854775808"}, 64, "out of range"},
        Misuse{{"counter", "a", "add", "-9223372036854775809"}, 64, "out of range"},
        Misuse{{"counter", "a", "get", "-w", "1s"}, 64, "-w"},
        Misuse{{"counter", "a", "get", "--frobnicate"}, 64, "--frobnicate"},
        Misuse{{"counter", "", "get"}, 65, "name"},
        Misuse{{"counter", "--url", "bogus://x", "a", "get"}, 78, "bogus"},
        Misuse{{"latch"}, 64, "NAME is missing"},
        Misuse{{"latch", "a"}, 64, "say what to do: set, down, wait or count"},
        Misuse{{"latch", "a", "open"}, 64, "'open' is not one of"},
        Misuse{{"latch", "a", "set"}, 64, "set takes 1 number"},
        Misuse{{"latch", "a", "set", "0"}, 64, "'0' is too small: at least 1"},
        Misuse{{"latch", "a", "down", "-1"}, 64, "'-1' is too small: at least 1"},
        Misuse{{"latch", "a", "count", "-n"}, 64, "count does not wait"},
        Misuse{{"latch", "a", "wait", "-w", "soon"}, 64, "'soon' is not a duration"},
        Misuse{{"latch", "a\nb", "count"}, 65, "name"},
        Misuse{{"barrier"}, 64, "NAME is missing"},
        Misuse{{"barrier", "a"}, 64, "say what to do: set, remove, wait or enter"},
        Misuse{{"barrier", "a", "open"}, 64, "'open' is not one of"},
        Misuse{{"barrier", "a", "set", "1"}, 64, "set takes no number"},
        Misuse{{"barrier", "a", "enter"}, 64, "enter takes 1 number"},
        Misuse{{"barrier", "a", "enter", "make"}, 64, "'make' is not a whole number"},
        Misuse{{"barrier", "a", "enter", "0", "true"}, 64, "too small: at least 1"},
        Misuse{{"barrier", "a", "enter", "9999999999", "true"}, 64, "out of range"},
        Misuse{{"barrier", "a", "enter", "2"}, 64, "the command is missing"},
        Misuse{{"barrier", "", "set"}, 65, "name"}, Misuse{{"elect"}, 64, "NAME"},
        Misuse{{"elect", "a", "--observe", "true"}, 64, "without a command"},
        Misuse{{"elect", "a", "--payload", "x"}, 64, "goes with a command"},
        Misuse{{"elect", "a", "--payload", kLong, "true"}, 64, "200 bytes"},
        Misuse{{"elect", "-s", "a", "true"}, 64, "-s"},
        Misuse{{"elect", "", "true"}, 65, "name"},
        Misuse{{"elect", "a"}, 1, "\"a\" has no leader"}, Misuse{{"wait"}, 64, "NAME"},
        Misuse{{"wait", "a", "b"}, 64, "b"},
        Misuse{{"wait", "-n", "-w", "1s", "a"}, 64, "excludes"},
        Misuse{{"wait", ""}, 65, "name"},
        Misuse{{"wait", "--url", "bogus://x", "a"}, 78, "bogus"}));

TEST(LongWordsTest, AreRefusedAsOthersAre) {
  const std::string word(120'000, 'x');  // almost as long as Linux allows
  Program holdfast;
  for (const Misuse& misuse : {
           Misuse{{"hold", "a", word}, 64, "' is one argument too many"},
           Misuse{{"hold", "a", word, "b"}, 64, "too many arguments: "},
           Misuse{{"run", "-E", word, "a", "true"}, 64, "' is not a whole number"},
           Misuse{{"run", "--" + word, "a", "true"}, 64, "there is no option '--x"},
           Misuse{{"unlock", "a", "--token", word}, 64, "' is not a whole number"},
       }) {
    const Outcome outcome = holdfast(misuse.args);
    EXPECT_EQ(outcome.code, misuse.code) << misuse.says;
    EXPECT_NE(outcome.err.find(misuse.says), std::string::npos) << misuse.says;
  }
}

TEST(HelpTest, EveryVerbHasOne) {
  Program holdfast;
  const std::string all = holdfast({"--help"}).out;
  EXPECT_THAT(all, HasSubstr("Usage: holdfast VERB"));
  for (const std::string verb : {"run", "elect", "latch", "barrier", "counter", "wait",
                                 "ls", "show", "unlock", "gc"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + verb + " "));
    const Outcome outcome = holdfast({verb, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Usage: holdfast " + verb));
    EXPECT_THAT(outcome.out, HasSubstr("--url URL"));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(HelpTest, NamesWhatTheCommandOfARunFinds) {
  Program holdfast;
  const std::string help = holdfast({"run", "--help"}).out;
  std::istringstream found(holdfast({"run", "a", "env"}).out);
  int variables = 0;
  for (std::string line; std::getline(found, line);) {
    const std::string name = line.substr(0, line.find('='));
    if (!name.starts_with("HOLDFAST_") || std::getenv(name.c_str()) != nullptr ||
        name == "HOLDFAST_URL" || name == "HOLDFAST_OUTER_HOLDS") {
      continue;  // It comes from the test, or is for runs inside this one.
    }
    EXPECT_THAT(help, HasSubstr(name));
    ++variables;
  }
  EXPECT_GE(variables, 10);
}

TEST(HelpTest, ABareProgramListsTheVerbs) {
  const Outcome outcome = Program()({});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("holdfast: a verb is missing\n"));
  EXPECT_THAT(outcome.err, HasSubstr("\n  unlock "));
}

TEST(HelpTest, IsAVerb) {
  Program holdfast;
  EXPECT_EQ(holdfast({"help"}).out, holdfast({"--help"}).out);
  EXPECT_EQ(holdfast({"help", "unlock"}).out, holdfast({"unlock", "--help"}).out);
  EXPECT_THAT(holdfast({"help", "unlock"}).out, HasSubstr("Usage: holdfast unlock"));
}

TEST(HelpTest, TheSchemaOfAnEngineNeedsNoUrl) {
  const Outcome outcome = Program()({"schema", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Usage: holdfast schema [OPTIONS] ENGINE"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("--url")));
  EXPECT_THAT(Program()({"--help"}).out, HasSubstr("\n  schema "));
}

TEST(GcTest, OnThisHostNothingIsLeftBehind) {
  Program holdfast;
  EXPECT_EQ(holdfast({"run", "job", "--", "true"}).code, 0);
  EXPECT_EQ(holdfast({"gc", "--older-than", "0"}).out, "0 names removed\n");
  EXPECT_EQ(holdfast({"gc", "--json"}).out, "{\"removed\":0}\n");
}

TEST(HelpTest, VersionNamesTheEngines) {
  const Outcome outcome = Program()({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("holdfast 0."));
  EXPECT_THAT(outcome.out, HasSubstr("engines: local"));
  EXPECT_EQ(Program()({"version"}).out, outcome.out);
  const std::string json = Program()({"version", "--json"}).out;
  EXPECT_THAT(json, StartsWith("{\"version\":\"0."));
  EXPECT_THAT(json, HasSubstr("\"engines\":[\"local\""));
}

TEST(ForeignFileTest, IsRefusedAndLeftAlone) {
  Program holdfast;
  std::ofstream(holdfast.file("foreign")) << "my diary";
  chmod(holdfast.file("foreign").c_str(), 0600);
  const Outcome outcome =
      holdfast({"run", "--url", "local://" + holdfast.file("foreign"), "a", "true"});
  EXPECT_EQ(outcome.code, 73) << outcome.err;
  EXPECT_EQ(contents(holdfast.file("foreign")), "my diary");
}

}  // namespace
}  // namespace holdfast::test

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
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

// One sentence; for usage, one more line that says where to read on.
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

const std::string kLong(600, 'x');

INSTANTIATE_TEST_SUITE_P(
    Verbs, UsageTest,
    ::testing::Values(
        Misuse{{}, 64, "verb"}, Misuse{{"frobnicate"}, 64, "frobnicate"},
        Misuse{{"--frobnicate"}, 64, "frobnicate"},
        Misuse{{"run"}, 64, "NAME is missing"},
        Misuse{{"run", "a"}, 64, "the command is missing"},
        Misuse{{"run", "a", "--"}, 64, "the command is missing"},
        Misuse{{"run", "--frobnicate", "a", "true"}, 64, "--frobnicate"},
        Misuse{{"run", "-s", "a", "true"}, 64, "-s"},
        Misuse{{"run", "-n", "-w", "1s", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "--ttl", "1s", "--lease", "1s", "a", "true"}, 64, "excludes"},
        Misuse{{"run", "-w"}, 64, "--wait"},
        Misuse{{"run", "-w", "soon", "a", "true"}, 64, "'soon' is not a duration"},
        Misuse{{"run", "--lease", "0", "a", "true"}, 64, "longer than zero"},
        Misuse{{"run", "-E", "256", "a", "true"}, 64, "0 to 255"},
        Misuse{{"run", "-E", "x", "a", "true"}, 64, "x"},
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
        Misuse{{"unlock", "a", "--token", "x"}, 64, "x"},
        Misuse{{"unlock", "a", "--token", "1", "--force"}, 64, "excludes"},
        Misuse{{"unlock", "", "--force"}, 65, "name"},
        Misuse{{"unlock", "a", "--force"}, 1, "not held"},
        Misuse{{"unlock", "a", "--token", "7"}, 1, "not held under token 7"}));

TEST(HelpTest, EveryVerbHasOne) {
  Program holdfast;
  EXPECT_THAT(holdfast({"--help"}).out, HasSubstr("Usage: holdfast VERB"));
  for (const std::string verb : {"run", "ls", "show", "unlock"}) {
    const Outcome outcome = holdfast({verb, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Usage: holdfast " + verb));
    EXPECT_THAT(outcome.out, HasSubstr("--url URL"));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(HelpTest, VersionNamesTheEngines) {
  const Outcome outcome = Program()({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("holdfast 0."));
  EXPECT_THAT(outcome.out, HasSubstr("engines: local"));
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

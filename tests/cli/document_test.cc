// SPDX-License-Identifier: Apache-2.0

// The manual pages and completions that the build makes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Returns what a shell command writes, to stdout or stderr.
std::string shell_output(const std::string& command) {
  std::FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

bool is_installed(const std::string& program) {
  return !shell_output("command -v " + program).empty();
}

class DocumentTest : public testing::Test {
 protected:
  DocumentTest() { EXPECT_EQ(holdfast_({"document", dir()}).code, 0); }

  std::string dir() const { return holdfast_.file("documents"); }

  // Returns the verbs that `holdfast help` lists.
  std::vector<std::string> verbs() const {
    std::vector<std::string> found;
    std::istringstream lines(holdfast_({"help"}).out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  ") || line.starts_with("  holdfast")) continue;
      found.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return found;
  }

  // Returns what bash offers for the last of these words.
  std::string completed(const std::string& words) const {
    return shell_output("bash --norc -c '. " + dir() + "/bash/holdfast; COMP_WORDS=(" +
                        words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); " +
                        "_holdfast; echo \"${COMPREPLY[@]}\"'");
  }

  Program holdfast_;
};

TEST_F(DocumentTest, EveryVerbHasAPageWithItsOptions) {
  const std::string all = contents(dir() + "/man1/holdfast.1");
  ASSERT_GT(verbs().size(), 10U);
  for (const std::string& verb : verbs()) {
    EXPECT_THAT(all, HasSubstr(".TP\n\\fB" + verb + "\\fR\n"));
    const std::string page = contents(dir() + "/man1/holdfast-" + verb + ".1");
    EXPECT_THAT(page, HasSubstr("holdfast\\-" + verb + " \\- "));
    if (verb == "demo") continue;  // it has no table
    EXPECT_THAT(page, HasSubstr("\\fB\\-\\-quiet\\fR")) << verb;
  }
  EXPECT_THAT(all, HasSubstr("\n.SH URLS\n.TP\n\\fBlocal:\\fR\n"));
  EXPECT_THAT(all, HasSubstr("\n.SH DURATIONS\n"));
  EXPECT_THAT(contents(dir() + "/man1/holdfast-run.1"),
              HasSubstr(R"(\fB\-k\fR, \fB\-\-kill\-after\fR \fIDUR\fR)"));
}

TEST_F(DocumentTest, GroffHasNothingToComplainOf) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  for (const auto& page : std::filesystem::directory_iterator(dir() + "/man1")) {
    EXPECT_EQ(shell_output("groff -man -ww -Tutf8 -z " + page.path().string()), "");
  }
}

TEST_F(DocumentTest, BashCompletes) {
  EXPECT_EQ(completed("holdfast un"), "unlock\n");
  EXPECT_EQ(completed("holdfast help lat"), "latch\n");
  EXPECT_EQ(completed("holdfast run --perm"), "--permits\n");
  EXPECT_EQ(completed("holdfast run --on-lost k"), "kill\n");
  EXPECT_EQ(completed("holdfast latch gate do"), "down\n");
  EXPECT_THAT(completed("holdfast run job /bin/s"), HasSubstr("/bin/sh"));
  EXPECT_THAT(completed("holdfast unlock --"), Not(HasSubstr("permits")));
  EXPECT_THAT(completed("holdfast \"\""), HasSubstr("run hold elect "));
}

TEST_F(DocumentTest, ZshReadsIt) {
  const std::string script = dir() + "/zsh/_holdfast";
  EXPECT_THAT(contents(script), HasSubstr("#compdef holdfast\n"));
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(shell_output("zsh -n " + script), "");
}

TEST_F(DocumentTest, FishReadsIt) {
  const std::string script = dir() + "/fish/holdfast.fish";
  EXPECT_THAT(contents(script), HasSubstr("-s n -l nb -l nonblock -d "));
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(shell_output("fish --no-execute " + script), "");
}

TEST(DocumentFolderTest, ThatCannotBeMadeIsAnError) {
  const Outcome outcome = Program()({"document", "/proc/nowhere"});
  EXPECT_EQ(outcome.code, 73);
  EXPECT_THAT(outcome.err, HasSubstr("/proc/nowhere cannot be written"));
}

}  // namespace
}  // namespace holdfast::test

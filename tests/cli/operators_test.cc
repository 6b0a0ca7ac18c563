// SPDX-License-Identifier: Apache-2.0

// The verbs for operators and scripts: rm, semaphore, count, hold and unlock --wait; a
// run inside a run; and what is printed at a terminal.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include "cli/program.h"
#include "support/eventually.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RmTest, FreesANameForAnotherKind) {
  Program holdfast;
  ASSERT_EQ(holdfast({"counter", "stock", "set", "97"}).code, 0);
  const Outcome refused = holdfast({"run", "-n", "stock", "--", "true"});
  EXPECT_EQ(refused.code, 65);
  EXPECT_THAT(refused.err, HasSubstr("is a counter with the value 97"));
  EXPECT_THAT(refused.err, HasSubstr("holdfast rm --kind counter stock"));
  EXPECT_EQ(holdfast({"rm", "stock", "--kind", "latch"}).code, 65);
  EXPECT_EQ(holdfast({"rm", "stock", "--kind", "mutex"}).code, 65);
  EXPECT_EQ(holdfast({"rm", "stock", "--kind", "counter"}).code, 0);
  EXPECT_EQ(holdfast({"run", "-n", "stock", "--", "true"}).code, 0);
  const Outcome again = holdfast({"rm", "stock"});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("nothing is stored under \"stock\""));
  EXPECT_EQ(holdfast({"rm", "-q", "stock"}).err, "");
}

TEST(RmTest, AsJson) {
  Program holdfast;
  ASSERT_EQ(holdfast({"barrier", "b", "set"}).code, 0);
  EXPECT_EQ(holdfast({"rm", "b", "--json"}).out, "{\"name\":\"b\",\"removed\":true}\n");
  const Outcome again = holdfast({"rm", "b", "--json"});
  EXPECT_EQ(again.out, "{\"name\":\"b\",\"removed\":false}\n");
  EXPECT_EQ(again.code, 1);
}

TEST(RmTest, TakesNothingAwayFromAHolder) {
  Program holdfast;
  Process holder = holdfast.hold("uploads", kUntilTold, {"--permits", "2"});
  const Outcome refused = holdfast({"rm", "uploads"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, HasSubstr("in use as a semaphore, held by"));
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast({"rm", "uploads"}).code, 0);
}

TEST(RmTest, RefusesWhatItDoesNotUnderstand) {
  Program holdfast;
  EXPECT_EQ(holdfast({"rm"}).code, 64);
  const Outcome kind = holdfast({"rm", "a", "--kind", "padlock"});
  EXPECT_EQ(kind.code, 64);
  EXPECT_THAT(kind.err, HasSubstr("'padlock' is not a kind"));
  EXPECT_EQ(holdfast({"rm", "a\nb"}).code, 65);
}

TEST(SemaphoreVerbTest, ReadsAndSetsThePermits) {
  Program holdfast;
  EXPECT_EQ(holdfast({"semaphore", "uploads", "get"}).out, "0\n");
  EXPECT_EQ(holdfast({"semaphore", "uploads", "set", "1"}).out, "1\n");
  EXPECT_THAT(holdfast({"ls"}).out, HasSubstr("uploads  1 permit\n"));
  EXPECT_EQ(holdfast({"semaphore", "uploads", "set", "3"}).out, "3\n");
  EXPECT_THAT(holdfast({"ls"}).out, HasSubstr("uploads  3 permits\n"));
  Process holder = holdfast.hold("uploads", kUntilTold, {"--permits", "3"});
  EXPECT_EQ(holdfast({"semaphore", "uploads", "get", "--json"}).out,
            "{\"name\":\"uploads\",\"permits\":3,\"available\":2}\n");
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast({"semaphore", "uploads", "set", "0"}).code, 64);
  EXPECT_EQ(holdfast({"semaphore", "uploads", "set", "many"}).code, 64);
  EXPECT_EQ(holdfast({"semaphore", "uploads", "add", "1"}).code, 64);
}

TEST(CountVerbTest, ReadsAndSetsTheNumber) {
  Program holdfast;
  EXPECT_EQ(holdfast({"count", "limit", "get"}).out, "0\n");
  EXPECT_EQ(holdfast({"count", "limit", "set", "-7"}).out, "-7\n");
  EXPECT_THAT(holdfast({"count", "limit", "get", "--json"}).out,
              ContainsRegex("^.\"name\":\"limit\",\"value\":-7,\"version\":[1-9]"));
  EXPECT_EQ(holdfast({"count", "limit", "set"}).code, 64);
}

TEST(HoldTest, KeepsTheLockUntilItsInputEnds) {
  Program holdfast;
  Process holder = holdfast.start({"hold", "job"});
  const std::string token = holder.read_line().value_or("");
  EXPECT_THAT(token, ContainsRegex("^[1-9][0-9]*$"));
  const Outcome refused = holdfast({"run", "-n", "job", "--", "true"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, HasSubstr(token));
  holder.close_stdin();
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST(HoldTest, SaysWhenItIsLost) {
  Program holdfast;
  Process holder = holdfast.start({"hold", "--json", "job"});
  EXPECT_THAT(holder.read_line().value_or(""),
              HasSubstr("\"name\":\"job\",\"kind\":\"mutex\","));
  EXPECT_EQ(holdfast({"unlock", "--force", "job"}).code, 0);
  EXPECT_EQ(holder.wait(), 76);
}

TEST(HoldTest, EndsWithASignal) {
  Program holdfast;
  Process holder = holdfast.start({"hold", "job"});
  (void)holder.read_line();
  kill(holder.pid(), SIGTERM);
  EXPECT_EQ(holder.wait(), 128 + SIGTERM);
  EXPECT_EQ(holdfast({"show", "job"}).code, 1) << "it was not given back";
}

// docs/cli.md shows this in place of flock's descriptor form.
TEST(HoldTest, AScriptRunsItselfUnderTheLock) {
  Program holdfast;
  const std::string path = holdfast.file("script");
  std::ofstream(path) << "[ \"$HOLDFAST_LOCK_NAME\" = job ] || "
                         "exec \"" HOLDFAST_PROGRAM
                         "\" run -n job -- /bin/sh \"$0\" \"$@\"\n"
                         "echo \"$1 $HOLDFAST_LOCK_HELD\"\n";
  holdfast.set("SCRIPT=" + path);
  const Outcome outcome = holdfast({"run", "other", "-c", "/bin/sh $SCRIPT word"});
  EXPECT_EQ(outcome.out, "word 1\n") << outcome.err;
}

TEST(NestedRunTest, IsRefusedAtOnce) {
  Program holdfast;
  const Outcome refused = holdfast(
      {"run", "job", "--", HOLDFAST_PROGRAM, "run", "job", "--", "echo", "in"});
  EXPECT_EQ(refused.code, 64);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("held by a run around this one"));
}

TEST(NestedRunTest, JoinsTheOuterHoldIfAsked) {
  Program holdfast;
  const Outcome joined =
      holdfast({"run", "job", "-c",
                "echo $HOLDFAST_TOKEN; " HOLDFAST_PROGRAM
                " run --nested job -c 'echo $HOLDFAST_TOKEN; exit 7'"});
  EXPECT_EQ(joined.code, 7) << joined.err;
  const auto line = joined.out.find('\n');
  ASSERT_NE(line, std::string::npos);
  EXPECT_EQ(joined.out.substr(0, line + 1), joined.out.substr(line + 1));
  EXPECT_EQ(holdfast({"run", "--nested", "job", "--", "true"}).code, 0)
      << "without an outer run it did not take the lock";
}

// The run between the two has another name.
TEST(NestedRunTest, KnowsTheRunsFurtherOut) {
  Program holdfast;
  const Outcome refused =
      holdfast({"run", "job", "--", HOLDFAST_PROGRAM, "run", "other", "--",
                HOLDFAST_PROGRAM, "run", "-n", "job", "--", "echo", "in"});
  EXPECT_EQ(refused.code, 64) << refused.err;

  const Outcome joined = holdfast(
      {"run", "job", "-c",
       "echo $HOLDFAST_TOKEN; exec " HOLDFAST_PROGRAM " run other -- " HOLDFAST_PROGRAM
       " run --nested job -c 'echo $HOLDFAST_TOKEN; exec " HOLDFAST_PROGRAM
       " run -n other -- echo in'"});
  EXPECT_EQ(joined.code, 64) << "the run between the two was forgotten";
  const auto line = joined.out.find('\n');
  ASSERT_NE(line, std::string::npos);
  EXPECT_EQ(joined.out.substr(0, line + 1), joined.out.substr(line + 1));
}

TEST(NestedRunTest, SeesTheLossOfARunFurtherOut) {
  Program holdfast;
  const Outcome refused =
      holdfast({"run", "--on-lost", "warn", "job", "-c",
                "export OUTER=$HOLDFAST_LOST_FD; " HOLDFAST_PROGRAM
                " unlock --force job >&2; exec " HOLDFAST_PROGRAM
                " run other -c 'read -r _ <&\"$OUTER\"; exec " HOLDFAST_PROGRAM
                " run --nested job -- echo in'"});
  EXPECT_EQ(refused.code, 76) << refused.err;
  EXPECT_EQ(refused.out, "");
}

// What stands between the two runs closes the descriptor of the outer one, so that of
// the inner one has the same number.
TEST(NestedRunTest, TakesNoDescriptorOfAnotherRunForThatOfItsHold) {
  Program holdfast;
  const Outcome joined =
      holdfast({"run", "job", "-c",
                "export OUTER=$HOLDFAST_LOST_FD; eval \"exec $OUTER<&-\"; "
                "exec " HOLDFAST_PROGRAM
                " run --on-lost warn other -c 'echo $((HOLDFAST_LOST_FD - OUTER)); "
                "" HOLDFAST_PROGRAM " unlock --force other >&2; "
                "read -r _ <&\"$HOLDFAST_LOST_FD\"; exec " HOLDFAST_PROGRAM
                " run --nested job -c \"echo \\${HOLDFAST_LOST_FD-none}\"'"});
  EXPECT_EQ(joined.out, "0\nnone\n") << joined.err;
  EXPECT_EQ(joined.code, 76) << "the run between the two lost its hold";
}

TEST(NestedRunTest, NamesNoDescriptorThatIsClosed) {
  Program holdfast;
  const Outcome joined =
      holdfast({"run", "job", "-c",
                "eval \"exec $HOLDFAST_LOST_FD<&-\"; exec " HOLDFAST_PROGRAM
                " run --nested job -c 'echo ${HOLDFAST_LOST_FD-none}'"});
  EXPECT_EQ(joined.out, "none\n") << joined.err;
}

// Other readers may be in.
TEST(NestedRunTest, OfAWriterInsideAReaderIsRefused) {
  Program holdfast;
  const Outcome refused =
      holdfast({"run", "--read", "job", "--", HOLDFAST_PROGRAM, "run", "--nested",
                "--write", "job", "--", "echo", "in"});
  EXPECT_EQ(refused.code, 64);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("let the outer run take it with --write"));
  EXPECT_EQ(holdfast({"run", "--write", "job", "--", HOLDFAST_PROGRAM, "run",
                      "--nested", "--read", "job", "--", "echo", "in"})
                .out,
            "in\n");
}

TEST(NestedRunTest, TakesNoPartyOfABarrierForAHolderOfALock) {
  Program holdfast;
  const std::string script = "echo $HOLDFAST_LOCK_KIND; exec " HOLDFAST_PROGRAM
                             " run -n --nested job -- echo in";
  const Outcome party =
      holdfast({"barrier", "job", "enter", "1", "--", "sh", "-c", script});
  EXPECT_EQ(party.out, "double_barrier\n");
  EXPECT_EQ(party.code, 65) << party.err;
}

TEST(NestedRunTest, IsRefusedWhereTheNameOfTheServerHasATab) {
  Program holdfast;
  const std::string path = holdfast.file("a\tb");
  std::ofstream(path) << "url = local://" << holdfast.file("segment") << "\n";
  const Outcome refused =
      holdfast({"run", "--config", path, "job",   "--", HOLDFAST_PROGRAM, "run",
                "-n",  "--config", path, "other", "--", HOLDFAST_PROGRAM, "run",
                "-n",  "--config", path, "job",   "--", "echo",           "in"});
  EXPECT_EQ(refused.code, 64) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("held by a run around this one"));
}

TEST(NestedRunTest, OfAnElectionIsRefused) {
  Program holdfast;
  const Outcome refused = holdfast({"elect", "boss", "--", HOLDFAST_PROGRAM, "elect",
                                    "-n", "boss", "--", "echo", "in"});
  EXPECT_EQ(refused.code, 64) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("held by a run around this one"));
}

TEST(NestedRunTest, SaysAsJsonWhatItCannotRun) {
  Program holdfast;
  const Outcome refused = holdfast({"run", "job", "--", HOLDFAST_PROGRAM, "run",
                                    "--nested", "--json", "job", "--", "/none"});
  EXPECT_EQ(refused.code, 127);
  EXPECT_THAT(refused.err, HasSubstr("{\"error\":\"command_not_found\""));
}

TEST(NestedRunTest, OfReadersOrOfAnotherNameIsAllowed) {
  Program holdfast;
  EXPECT_EQ(holdfast({"run", "--read", "job", "--", HOLDFAST_PROGRAM, "run", "--read",
                      "job", "--", "echo", "in"})
                .out,
            "in\n");
  EXPECT_EQ(holdfast({"run", "job", "--", HOLDFAST_PROGRAM, "run", "other", "--",
                      "echo", "in"})
                .out,
            "in\n");
}

TEST(UnlockTest, SaysWhatStillRunsAndWaitsForItsEnd) {
  Program holdfast;
  Process holder = holdfast.hold("job", "trap '' TERM; echo up; sleep 600",
                                 {"-k", stretched(300ms)});
  const Outcome ended = holdfast({"unlock", "--force", "--wait", "job"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              ContainsRegex("taken from [^\n]*\n[^\n]* pid " +
                            std::to_string(holder.pid()) + " [^\n]*has ended\n"));
  EXPECT_EQ(holder.wait(), 76);
}

// The other side of a terminal that has 60 columns.
class AtATerminal : public testing::Test {
 protected:
  ~AtATerminal() override {
    if (side_ >= 0) close(side_);
  }

  pid_t start(const Program& holdfast, const std::vector<std::string>& args) {
    const winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    const std::string url = holdfast.url();
    const pid_t pid = forkpty(&side_, nullptr, nullptr, &size);
    if (pid != 0) return pid;
    setenv("HOLDFAST_URL", url.c_str(), 1);
    std::vector<char*> argv{const_cast<char*>(HOLDFAST_PROGRAM)};
    for (const std::string& each : args)
      argv.push_back(const_cast<char*>(each.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  std::string read_until(const std::string& wanted) {
    std::string text;
    std::array<char, 512> bytes;
    while (text.find(wanted) == std::string::npos) {
      const ssize_t size = read(side_, bytes.data(), bytes.size());
      if (size <= 0) break;
      text.append(bytes.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int side_ = -1;
};

TEST_F(AtATerminal, AWaitNamesTheHolderAndErasesTheLineAfterwards) {
  Program holdfast;
  Process holder = holdfast.start({"hold", "job"});
  (void)holder.read_line();
  const pid_t waiter = start(holdfast, {"run", "job", "--", "echo", "in"});
  const std::string said = read_until("has it");
  EXPECT_THAT(said, HasSubstr("waiting for \"job\": "));
  EXPECT_THAT(said, HasSubstr("pid " + std::to_string(holder.pid())));
  EXPECT_THAT(said, Not(HasSubstr("\n"))) << "it is more than one line";
  holder.close_stdin();
  EXPECT_THAT(read_until("in\r\n"), ContainsRegex("\r +\rin\r\n$"));
  int status = 0;
  waitpid(waiter, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(NotAtATerminal, AWaitSaysNothing) {
  Program holdfast;
  Process holder = holdfast.start({"hold", "job"});
  (void)holder.read_line();
  const Outcome refused = holdfast({"wait", "-w", "700ms", "job", "--json"});
  EXPECT_EQ(refused.code, 75);
  Process waiter =
      holdfast.start({"run", "-w", "700ms", "-E", "9", "job", "--", "true"});
  EXPECT_EQ(waiter.wait(), 9);
  EXPECT_THAT(contents(holdfast.err_file()), Not(HasSubstr("waiting for")));
}

}  // namespace
}  // namespace holdfast::test

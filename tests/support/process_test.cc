// SPDX-License-Identifier: Apache-2.0

#include "support/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(Process, SpeaksByLines) {
  Process cat({"cat"});
  ASSERT_TRUE(cat.write_line("one"));
  ASSERT_TRUE(cat.write_line("two words"));
  EXPECT_EQ(cat.read_line(), "one");
  EXPECT_EQ(cat.read_line(), "two words");
  EXPECT_EQ(cat.read_line(10ms), std::nullopt);
  cat.close_stdin();
  EXPECT_EQ(cat.wait(), 0);
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(Process({"sh", "-c", "exit 7"}).wait(), 7);
  Process cat({"cat"});
  EXPECT_EQ(cat.wait(10ms), std::nullopt);
  cat.signal(SIGKILL);
  EXPECT_EQ(cat.wait(), 128 + SIGKILL);
  EXPECT_FALSE(cat.write_line("are you there?"));
}

TEST(Process, AddsToTheEnvironment) {
  Process shell({"sh", "-c", "echo $HOLDFAST_TEST_WORD"}, {"HOLDFAST_TEST_WORD=word"});
  EXPECT_EQ(shell.read_line(), "word");
}

TEST(Process, DiesOfABrokenPipeAlsoIfWeDoNot) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  Process shell({"sh", "-c", "kill -PIPE $$; echo alive"});
  signal(SIGPIPE, before);
  EXPECT_EQ(shell.read_line(), std::nullopt);
  EXPECT_EQ(shell.wait(), 128 + SIGPIPE);
}

TEST(Process, SaysThatThereIsNoSuchProgram) {
  EXPECT_THROW(Process({"/no/such/program"}), std::system_error);
}

TEST(Victim, RefusesWhatItDoesNotKnow) {
  Victim victim;
  EXPECT_EQ(victim.ask("dance"), "what? dance");
  EXPECT_TRUE(is_error(victim.ask("open nosuch:"), Errc::no_engine));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A holder that prints its token.
struct Holder {
  Process process;
  std::string token;

  Holder(const Program& holdfast, const std::string& name)
      : process(holdfast.start({"run", name, "--", "/bin/sh", "-c", kUntilTold})),
        token(process.read_line().value_or("none")) {}
  std::string pid() const { return std::to_string(process.pid()); }
};

TEST(LsTest, WithoutLocksOnlyTheHeadlineIsPrinted) {
  Program holdfast;
  EXPECT_EQ(holdfast({"ls"}).out, "KIND  HELD  WAITING  NAME  HOLDER\n");
  EXPECT_EQ(holdfast({"ls", "--json"}).out, "[]\n");
}

TEST(LsTest, ListsWhatIsHeld) {
  Program holdfast;
  const Holder a(holdfast, "stock/1");
  const Holder b(holdfast, "stock/2");
  const Holder c(holdfast, "other");
  const std::string all = holdfast({"ls"}).out;
  EXPECT_THAT(all, ContainsRegex("mutex +1 +0 +stock/1 +[^ ]+ pid " + a.pid()));
  EXPECT_THAT(all, ContainsRegex("mutex +1 +0 +other +[^ ]+ pid " + c.pid()));
  const std::string some = holdfast({"ls", "stock/"}).out;
  EXPECT_THAT(some, HasSubstr("stock/2"));
  EXPECT_THAT(some, Not(HasSubstr("other")));
  const std::string json = holdfast({"ls", "--json", "other"}).out;
  EXPECT_THAT(json, StartsWith(R"([{"kind":"mutex","name":"other","holders":[{)"));
  EXPECT_THAT(json, HasSubstr("\"token\":" + c.token + ","));
  EXPECT_THAT(json, HasSubstr(R"("waiters":[],"value":null}])"));
}

TEST(ShowTest, ShowsWhatItIsFor) {
  Program holdfast;
  Process holder = holdfast.start({"run", "job", "--description", "nightly\x1b run",
                                   "--", "/bin/sh", "-c", kUntilTold});
  ASSERT_TRUE(holder.read_line());
  const std::string text = holdfast({"show", "job"}).out;
  EXPECT_THAT(text, ContainsRegex("Holder : .* pid [0-9]+ \\(/bin/sh\\)\n"));
  EXPECT_THAT(text, HasSubstr("  For    : nightly? run\n"));
  EXPECT_THAT(holdfast({"ls"}).out, HasSubstr("(/bin/sh) for \"nightly? run\"\n"));
  EXPECT_THAT(holdfast({"show", "--json", "job"}).out,
              HasSubstr(R"("command":"/bin/sh","thread":null,"function":null,)"
                        R"("description":"nightly? run",)"));
  const Outcome refused = holdfast({"run", "-n", "job", "--", "true"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, HasSubstr("(/bin/sh) for \"nightly? run\" since "));
}

TEST(ShowTest, ShowsHolderAndWaiters) {
  Program holdfast;
  Holder holder(holdfast, "job");
  Process first = holdfast.start({"run", "job", "--", "true"});
  ASSERT_TRUE(waits(holdfast, "job", 1));
  Process second = holdfast.start({"run", "job", "--", "true"});
  ASSERT_TRUE(waits(holdfast, "job", 2));

  const std::string text = holdfast({"show", "job"}).out;
  EXPECT_THAT(text, StartsWith("mutex \"job\"\n"));
  EXPECT_THAT(text, ContainsRegex("Holder : .* pid " + holder.pid()));
  EXPECT_THAT(text, HasSubstr("Token  : " + holder.token + "\n"));
  EXPECT_THAT(text, ContainsRegex("#1 .* pid " + std::to_string(first.pid())));
  EXPECT_THAT(text, ContainsRegex("#2 .* pid " + std::to_string(second.pid())));
  EXPECT_THAT(holdfast({"show", "--json", "job"}).out,
              HasSubstr("\"pid\":" + std::to_string(second.pid())));
  holder.process.write_line("done");
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
}

TEST(ShowTest, AnUnusedNameIsNotFound) {
  Program holdfast;
  const Holder longer(holdfast, "job/1");
  EXPECT_EQ(holdfast({"show", "job"}).code, 1) << "a prefix was taken for the name";
  EXPECT_EQ(holdfast({"show", "--json", "job"}).out, "[]\n");
}

TEST(UnlockTest, NeedsTheRightToken) {
  Program holdfast;
  Holder holder(holdfast, "job");
  EXPECT_EQ(holdfast({"unlock", "job", "--token", holder.token + "0"}).code, 1);
  EXPECT_EQ(holder.process.wait(0ms), std::nullopt);
  const Outcome outcome = holdfast({"unlock", "job", "--token", holder.token});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("taken from .* pid " + holder.pid()));
  EXPECT_EQ(holder.process.wait(), 76) << "its command was not ended";
  EXPECT_EQ(holdfast({"unlock", "job", "--token", holder.token}).code, 1);
}

TEST(UnlockTest, ByForce) {
  Program holdfast;
  Holder holder(holdfast, "job");
  EXPECT_EQ(holdfast({"unlock", "job", "--force"}).code, 0);
  EXPECT_EQ(holder.process.wait(), 76);
  EXPECT_EQ(holdfast({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST(UnlockTest, LetsTheNextOneIn) {
  Program holdfast;
  Holder holder(holdfast, "job");
  Process waiter = holdfast.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast, "job", 1));
  EXPECT_EQ(holdfast({"unlock", "job", "--force"}).code, 0);
  EXPECT_EQ(waiter.read_line(), "in");
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A process that leads until it is told to end.
Process lead(const Program& holdfast, const std::string& payload) {
  Process process = holdfast.start({"elect", "--payload", payload, "scheduler", "--",
                                    "sh", "-c", "echo $HOLDFAST_TOKEN; read line"});
  EXPECT_GT(std::stoull(process.read_line().value_or("0")), 0U);
  return process;
}

TEST(ElectTest, RunsTheCommandAndPassesItsCodeOn) {
  Program holdfast;
  const Outcome outcome = holdfast(
      {"elect", "scheduler", "--", "sh", "-c", "echo $HOLDFAST_LOCK_NAME; exit 7"});
  EXPECT_EQ(outcome.code, 7) << outcome.err;
  EXPECT_EQ(outcome.out, "scheduler\n");
}

TEST(ElectTest, PrintsWhoLeads) {
  Program holdfast;
  const Outcome none = holdfast({"elect", "scheduler"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "holdfast: \"scheduler\" has no leader\n");
  EXPECT_EQ(holdfast({"elect", "scheduler", "--json"}).out,
            "{\"name\":\"scheduler\",\"leader\":null}\n");

  Process leader = lead(holdfast, "10.0.0.1:8080");
  const Outcome outcome = holdfast({"elect", "scheduler"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "10.0.0.1:8080\n");
  const Outcome json = holdfast({"elect", "scheduler", "--json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_THAT(json.out,
              ContainsRegex("^\\{\"name\":\"scheduler\",\"leader\":\\{\"payload\":"
                            "\"10.0.0.1:8080\",\"owner\":\"[^\"]+\",\"token\":[0-9]+,"
                            "\"since\":\"20[^\"]+Z\"\\}\\}\n$"));
  EXPECT_THAT(holdfast({"show", "scheduler"}).out,
              HasSubstr("Holder : 10.0.0.1:8080\n"));
}

TEST(ElectTest, WithoutAPayloadTheLeaderIsThisProcess) {
  Program holdfast;
  Process leader =
      holdfast.start({"elect", "scheduler", "--", "sh", "-c", "echo in; read line"});
  ASSERT_EQ(leader.read_line(), "in");
  EXPECT_THAT(holdfast({"elect", "scheduler"}).out,
              ContainsRegex(":" + std::to_string(leader.pid()) + ":sh\n$"));
}

TEST(ElectTest, OnlyOneLeads) {
  Program holdfast;
  Process first = lead(holdfast, "first");
  const Outcome outcome = holdfast({"elect", "-n", "scheduler", "true"});
  EXPECT_EQ(outcome.code, 75);
  EXPECT_THAT(outcome.err,
              StartsWith("holdfast: another candidate leads \"scheduler\": first"));
  Process second = holdfast.start({"elect", "scheduler", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast, "scheduler", 1));
  first.write_line("resign");
  EXPECT_EQ(second.read_line(), "in");
  EXPECT_EQ(second.wait(), 0);
}

TEST(ElectTest, ALostLeadershipEndsTheCommand) {
  Program holdfast;
  Process leader = lead(holdfast, "me");
  EXPECT_EQ(holdfast({"unlock", "scheduler", "--force"}).code, 0);
  EXPECT_EQ(leader.wait(), 76);
}

TEST(ElectTest, ASignalEndsTheCampaign) {
  Program holdfast;
  Process leader = lead(holdfast, "me");
  Process other = holdfast.start({"elect", "scheduler", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast, "scheduler", 1));
  other.signal(SIGTERM);
  EXPECT_EQ(other.wait(), 128 + SIGTERM);
  EXPECT_EQ(other.read_line(), std::nullopt);
}

TEST(ObserveTest, PrintsEveryChange) {
  Program holdfast;
  Process observer = holdfast.start({"elect", "scheduler", "--observe"});
  EXPECT_EQ(observer.read_line(), "no leader");
  {
    Process leader = lead(holdfast, "first");
    EXPECT_EQ(observer.read_line(), "first");
    leader.write_line("resign");
    EXPECT_EQ(leader.wait(), 0);
  }
  EXPECT_EQ(observer.read_line(), "no leader");
  Process leader = lead(holdfast, "second");
  EXPECT_EQ(observer.read_line(), "second");
  observer.signal(SIGINT);
  EXPECT_EQ(observer.wait(), 128 + SIGINT);
}

TEST(ObserveTest, WritesJsonLines) {
  Program holdfast;
  Process leader = lead(holdfast, "first");
  Process observer = holdfast.start({"elect", "scheduler", "--observe", "--json"});
  EXPECT_THAT(observer.read_line().value_or(""),
              StartsWith(R"({"name":"scheduler","leader":{"payload":"first",)"));
  leader.write_line("resign");
  EXPECT_EQ(observer.read_line(), R"({"name":"scheduler","leader":null})");
}

TEST(ObserveTest, EndsWithItsReader) {
  Program holdfast;
  Process pipeline({"/bin/sh", "-c", "\"$0\" elect scheduler --observe | head -n 1",
                    HOLDFAST_PROGRAM},
                   {"HOLDFAST_URL=" + holdfast.url()});
  EXPECT_EQ(pipeline.read_line(), "no leader");
  EXPECT_TRUE(eventually([&] {  // until there is something to print again
    holdfast({"elect", "scheduler", "true"});
    return pipeline.wait(0ms) == 0;
  }));
}

}  // namespace
}  // namespace holdfast::test

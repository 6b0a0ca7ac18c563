// The program on a Redis server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/few_descriptors.h"
#include "cli/program.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kRedisson = "6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001:42";

class RedisCli : public testing::Test {
 protected:
  RedisCli() { holdfast_.set("HOLDFAST_URL=" + server_.url()); }

  void peer_locks(const std::string& name) {
    ASSERT_EQ(server_.command({"HSET", name, kRedisson, "1"}), "1");
    ASSERT_EQ(server_.command({"PEXPIRE", name, "30000"}), "1");
  }

  RedisServer server_{{"save 3600 1"}};  // or it would draw warnings
  Program holdfast_;
};

TEST_F(RedisCli, TakesTheUrlAsAnOption) {
  holdfast_.set("HOLDFAST_URL=local:///nonexistent/x");
  EXPECT_EQ(holdfast_({"run", "--url", server_.url(), "job", "--", "true"}).code, 0);
}

TEST_F(RedisCli, ShowsAndUnlocksWhatAPeerHolds) {
  peer_locks("job");
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job"));
  EXPECT_THAT(holdfast_({"show", "job"}).out, HasSubstr(kRedisson));
  EXPECT_THAT(holdfast_({"show", "--json", "job"}).out,
              HasSubstr(std::string("\"owner\":\"") + kRedisson + "\""));
  EXPECT_EQ(holdfast_({"unlock", "job", "--force"}).code, 0);
  EXPECT_EQ(server_.command({"EXISTS", "job"}), "0");
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_F(RedisCli, ACounterIsANumberOnTheServer) {
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "-3"}).out, "-3\n");
  EXPECT_EQ(server_.command({"GET", "stock"}), "-3");
}

TEST_F(RedisCli, WithFewDescriptorsItSaysSo) {
  expect_sentences_with_few_descriptors(server_.url(), "wait -w 1s job");
  expect_sentences_with_few_descriptors(server_.url(), "latch l wait");
  expect_sentences_with_few_descriptors(server_.url(), "run job -- true");
}

TEST_F(RedisCli, TellsAboutTheServer) {
  const RedisServer forgetful;
  holdfast_.set("HOLDFAST_URL=" + forgetful.url());
  const Outcome outcome = holdfast_({"run", "job", "--", "true"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("appendonly"));
}

}  // namespace
}  // namespace holdfast::test

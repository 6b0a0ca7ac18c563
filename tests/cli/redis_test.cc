// SPDX-License-Identifier: Apache-2.0

// The program on a Redis server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/few_descriptors.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
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

  RedisServer server_{{"save 3600 1"}};  // otherwise there are warnings
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

// A lock that a peer holds has no token.
TEST_F(RedisCli, TheHintNamesForceWhereThereIsNoToken) {
  peer_locks("job");
  const Terminal terminal;
  holdfast_.set("ERR=" + terminal.name());
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_THAT(terminal.text(), HasSubstr("by force: holdfast unlock job --force\n"));
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
  EXPECT_EQ(holdfast_({"run", "job", "--", "true"}).err, "")
      << "it is warned of more than once a day";
  EXPECT_THAT(holdfast_({"show", "--engine"}).out, HasSubstr("appendonly"));

  // The warning comes again a day later, on another server, and where it cannot be
  // remembered.
  const std::filesystem::path said = holdfast_.file("cache") + "/holdfast/warnings";
  for (const auto& file : std::filesystem::directory_iterator(said)) {
    std::filesystem::last_write_time(file, file.last_write_time() - 25h);
  }
  EXPECT_THAT(holdfast_({"run", "job", "--", "true"}).err, HasSubstr("appendonly"));
  const RedisServer another;
  holdfast_.set("HOLDFAST_URL=" + another.url());
  EXPECT_THAT(holdfast_({"run", "job", "--", "true"}).err, HasSubstr("appendonly"));
  holdfast_.set("XDG_CACHE_HOME=/proc/nowhere");
  for (int i = 0; i < 2; ++i) {
    const Outcome forgotten = holdfast_({"run", "job", "--", "true"});
    EXPECT_EQ(forgotten.code, 0);
    EXPECT_THAT(forgotten.err, HasSubstr("appendonly"));
  }
}

TEST_F(RedisCli, TellsNothingAboutTheServerOnRequest) {
  const RedisServer forgetful;
  holdfast_.set("HOLDFAST_URL=" + forgetful.url());
  EXPECT_EQ(holdfast_({"run", "-q", "job", "--", "true"}).err, "");
  EXPECT_EQ(holdfast_({"run", "--json", "job", "--", "true"}).err, "");
  for (const char* level : {"error", "off"}) {
    holdfast_.set(std::string("HOLDFAST_LOG=") + level);
    EXPECT_EQ(holdfast_({"run", "job", "--", "true"}).err, "");
  }
  holdfast_.set("HOLDFAST_LOG=info");
  EXPECT_THAT(holdfast_({"run", "job", "--", "true"}).err,
              AllOf(HasSubstr("appendonly"), HasSubstr("acquired after")));
}

TEST_F(RedisCli, TheLogSaysWhatTheServerIs) {
  const std::string line =
      "redis: 127.0.0.1:" + std::to_string(server_.port()) + ": role primary; version ";
  EXPECT_EQ(holdfast_({"run", "job", "--", "true"}).err, "");
  holdfast_.set("HOLDFAST_LOG=info");
  EXPECT_THAT(holdfast_({"run", "job", "--", "true"}).err, HasSubstr(line));
}

TEST_F(RedisCli, AQuorumShowsTheServerOfEachNode) {
  RedisServer others[2] = {RedisServer({"save 3600 1"}), RedisServer({"save 3600 1"})};
  const auto port = [](const RedisServer& server) {
    return std::to_string(server.port());
  };
  others[1].kill();
  holdfast_.set("HOLDFAST_URL=quorum:" + server_.url() + "," + others[0].url() + "," +
                others[1].url());
  EXPECT_THAT(
      holdfast_({"show", "--engine"}).out,
      AllOf(HasSubstr("\n  server node 1, 127.0.0.1:" + port(server_) +
                      ": role primary; version "),
            HasSubstr("\n  server node 2, 127.0.0.1:" + port(others[0]) + ": role"),
            HasSubstr("\n  server node 3: state not reached\n")));
}

}  // namespace
}  // namespace holdfast::test

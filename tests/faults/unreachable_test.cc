// SPDX-License-Identifier: Apache-2.0

// A port that refuses, another server at the port, and how often each is tried. These
// tests need no server and are the same for every engine that has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "faults/stranger.h"
#include "holdfast/client.h"
#include "support/free_port.h"
#include "support/scale.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Server {
  std::string scheme;
  std::string before;  // what stands before the address in a URL
  std::string path;
  Errc foreign;  // the error when another server is at its port

  std::string url(const std::string& at, const std::string& options = {}) const {
    return scheme + "://" + before + at + path + (options.empty() ? "" : "?") + options;
  }
};
void PrintTo(const Server& server, std::ostream* out) { *out << server.scheme; }

class UnreachableTest : public ::testing::TestWithParam<Server> {
 protected:
  UnreachableTest() {
    if (engines().find(GetParam().scheme) == std::string_view::npos) absent_ = true;
  }
  void SetUp() override {
    if (absent_) GTEST_SKIP() << "this build does not have " << GetParam().scheme;
  }

  static Failure failure_of(const Result<Client>& client) {
    return client ? Failure(Errc::internal, "it was opened") : client.error();
  }
  static Failure failure_at(const std::string& url) {
    return failure_of(Client::open(url));
  }

 private:
  bool absent_ = false;
};

TEST_P(UnreachableTest, ARefusedPortIsReportedAtOnce) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const auto begun = Clock::now();
  const Failure why = failure_at(GetParam().url(at));
  EXPECT_LT(Clock::now() - begun, scaled(2s));
  EXPECT_EQ(why.code, Errc::unavailable) << why.message();
  EXPECT_THAT(why.message(), HasSubstr(at + ": Connection refused"));
}

TEST_P(UnreachableTest, AnotherServerIsReportedSoon) {
  const Stranger web("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
                     After::close, Speaks::second);
  const auto begun = Clock::now();
  const Failure why = failure_at(GetParam().url(web.at()));
  EXPECT_LT(Clock::now() - begun, scaled(4s));
  EXPECT_EQ(why.code, GetParam().foreign) << why.message();
  EXPECT_THAT(why.message(), HasSubstr(web.at()));
}

TEST_P(UnreachableTest, IsTriedAsOftenAsTheUrlSays) {
  const Stranger rude("", After::close, Speaks::first);
  const Failure why =
      failure_at(GetParam().url(rude.at(), "retry_times=1&retry_base=5ms"));
  EXPECT_EQ(why.code, Errc::unavailable) << why.message();
  EXPECT_THAT(why.message(), HasSubstr("; tried 2 times in "));
  EXPECT_GE(rude.met(), 2);
}

TEST_P(UnreachableTest, IsTriedAsOftenAsTheConfigFileSays) {
  const TempDir folder;
  const std::string path = folder.file("conf");
  std::ofstream(path) << "type = " << GetParam().scheme
                      << "\naddress = 127.0.0.1:" << free_port()
                      << "\nretry_base = 5ms\nretry_times = 1\n"
                      << (GetParam().path.empty() ? "" : "path = " + GetParam().path);
  const Failure why = failure_of(Client::from_config(path));
  EXPECT_EQ(why.code, Errc::unavailable) << why.message();
  EXPECT_THAT(why.message(), HasSubstr("; tried 2 times in "));
}

TEST_P(UnreachableTest, IsTriedOnceIfNothingSaysOtherwise) {
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  EXPECT_THAT(failure_at(GetParam().url(at)).message(),
              ::testing::Not(HasSubstr("tried")));
}

TEST_P(UnreachableTest, ABadPolicyIsRefused) {
  for (const std::string bad :
       {"retry_times=-1", "retry_times=often", "retry_times=", "retry_base=0ms",
        "retry_base=5", "retry_base=2h", "retry_times=1&retry_times=2"}) {
    const Failure why = failure_at(GetParam().url("127.0.0.1:1", bad));
    EXPECT_EQ(why.code, Errc::bad_url) << bad << ": " << why.message();
    EXPECT_THAT(why.message(), HasSubstr(bad.substr(0, bad.find('=')))) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Engines, UnreachableTest,
    ::testing::Values(Server{"redis", "", "", Errc::incompatible},
                      Server{"zookeeper", "", "", Errc::incompatible},
                      Server{"etcd", "", "", Errc::unavailable},
                      Server{"mysql", "ann:c4n4ry@", "/locks", Errc::incompatible}),
    [](const auto& server) { return server.param.scheme; });

// The servers accept a connection and then say nothing.
class SilentRedisTest : public ::testing::TestWithParam<Server> {};

TEST_P(SilentRedisTest, IsNamedWithWhatToDo) {
  if (engines().find("redis") == std::string_view::npos) {
    GTEST_SKIP() << "this build does not have redis";
  }
  const Stranger silent("", After::keep, Speaks::first);
  const auto client = Client::open(GetParam().url(silent.at()));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::unavailable) << client.error().message();
  EXPECT_THAT(client.error().message(), HasSubstr(silent.at()));
  EXPECT_THAT(client.error().message(), HasSubstr("check that it runs"));
}

INSTANTIATE_TEST_SUITE_P(
    Servers, SilentRedisTest,
    ::testing::Values(Server{"redis", "", "", Errc::unavailable},
                      Server{"redis+cluster", "", "", Errc::unavailable},
                      Server{"redis+sentinel", "", "/mymaster", Errc::unavailable}),
    [](const auto& server) {
      const std::string& scheme = server.param.scheme;
      return scheme.substr(scheme.find('+') + 1);
    });

TEST(UnreachableQuorumTest, EachNodeIsTriedAsOftenAsItsUrlSays) {
  if (engines().find("redis") == std::string_view::npos) {
    GTEST_SKIP() << "this build does not have redis";
  }
  const Stranger nodes[] = {{"", After::close, Speaks::first},
                            {"", After::close, Speaks::first},
                            {"", After::close, Speaks::first}};
  std::string url = "quorum:";
  for (const Stranger& node : nodes) {
    if (url.back() != ':') url += ',';
    url += "redis://" + node.at() + "?retry_times=2&retry_base=5ms";
  }
  const auto client = Client::open(url);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::unavailable) << client.error().message();
  int met = 0;
  for (const Stranger& node : nodes) met += node.met() >= 3 ? 1 : 0;
  EXPECT_GE(met, 2) << "fewer than a majority were tried";
}

}  // namespace
}  // namespace holdfast::test

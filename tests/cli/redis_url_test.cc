// SPDX-License-Identifier: Apache-2.0

// Good and bad ways to say where a Redis server is and what its password is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/bad_url.h"
#include "cli/program.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RedisCliPassword : public testing::Test {
 protected:
  Outcome run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> args{"run"};
    args.insert(args.end(), more.begin(), more.end());
    args.insert(args.end(), {"job", "--", "true"});
    Outcome outcome = holdfast_(args);
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(kCanary)));
    return outcome;
  }

  const RedisServer server_{{std::string("requirepass ") + kCanary, "save 3600 1"}};
  Program holdfast_;
};

TEST_F(RedisCliPassword, FromTheEnvironment) {
  holdfast_.set("HOLDFAST_URL=" + server_.url());
  EXPECT_EQ(run().code, 77);
  holdfast_.set(std::string("HOLDFAST_PASSWORD=") + kCanary);
  EXPECT_EQ(run().code, 0);
  holdfast_.set(std::string("HOLDFAST_PASSWORD=wrong-") + kCanary);
  EXPECT_EQ(run().code, 77);
}

TEST_F(RedisCliPassword, FromAFile) {
  std::ofstream(holdfast_.file("password")) << kCanary << "\n";
  holdfast_.set("HOLDFAST_URL=" + server_.url("?password_file=") +
                holdfast_.file("password"));
  EXPECT_EQ(run().code, 0);
  holdfast_.set("HOLDFAST_URL=" + server_.url("?password_file=/no/such/file"));
  EXPECT_EQ(run().code, 77);
}

TEST_F(RedisCliPassword, FromTheUrl) {
  const std::string at = "@127.0.0.1:" + std::to_string(server_.port());
  holdfast_.set(std::string("HOLDFAST_URL=redis://:") + kCanary + at);
  EXPECT_EQ(run().code, 0);
  holdfast_.set(std::string("HOLDFAST_URL=redis://:wrong-") + kCanary + at);
  EXPECT_EQ(run().code, 77);
  const Outcome shown = run({"--url", std::string("redis://:") + kCanary + at});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.err, HasSubstr("a password in --url"));
}

INSTANTIATE_TEST_SUITE_P(
    Redis, BadUrlTest,
    testing::Values(BadUrl{"redis://h1,h2", 78, "one host"},
                    BadUrl{"redis://127.0.0.1/x", 78, "database"},
                    BadUrl{"redis://127.0.0.1/-1", 78, "database"},
                    BadUrl{"redis://127.0.0.1:99999", 78, "port"},
                    BadUrl{"redis://127.0.0.1?color=red", 78, "color"},
                    BadUrl{"redis://127.0.0.1?layout=heap", 78, "layout"},
                    BadUrl{"redis://127.0.0.1?ack=many", 78, "ack"},
                    BadUrl{"redis://127.0.0.1?token_ttl=soon", 78, "token_ttl"},
                    BadUrl{"redis://127.0.0.1?ca=/no/such", 78, "ca"},
                    BadUrl{"redis+cluster://127.0.0.1:1", 69, "127.0.0.1:1"},
                    BadUrl{"redis+swarm://127.0.0.1", 78, "redis+swarm"},
                    BadUrl{"redis:///no/such/socket", 69, "/no/such/socket"},
                    BadUrl{"redis://no-such-host.invalid", 69, "no-such-host.invalid"},
                    BadUrl{"redis://127.0.0.1:1", 69, "127.0.0.1:1"}));

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Good and bad ways to say where ZooKeeper is and which user runs the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cli/bad_url.h"
#include "cli/program.h"
#include "support/zookeeper_shared.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The user ann has a lock, which no other user may even look at.
class ZookeeperCliUser : public testing::Test {
 protected:
  ZookeeperCliUser() {
    as(std::string("ann:") + kCanary);
    holder_.emplace(holdfast_.hold("job", "echo in; read line"));
  }

  void as(const std::string& user, const std::string& options = {}) {
    holdfast_.set("HOLDFAST_URL=zookeeper://" + user + "@" + where_ + options);
  }
  Outcome run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> args{"run", "-n"};
    args.insert(args.end(), more.begin(), more.end());
    args.insert(args.end(), {"job", "--", "true"});
    Outcome outcome = holdfast_(args);
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(kCanary)));
    return outcome;
  }

  const std::string where_ = "127.0.0.1:" + std::to_string(shared_zookeeper()) +
                             "/cli-" + std::to_string(getpid()) + "-" +
                             std::to_string(std::random_device()());
  Program holdfast_;
  std::optional<Process> holder_;
};

TEST_F(ZookeeperCliUser, IsInTheUrl) {
  EXPECT_EQ(run().code, 75);
  EXPECT_EQ(holdfast_({"show", "job"}).code, 0);
  for (const char* user : {"ann:wrong-", "bob:"}) {
    as(user + std::string(kCanary));
    const Outcome denied = run();
    EXPECT_EQ(denied.code, 77) << denied.err;
    EXPECT_THAT(denied.err, HasSubstr("did not allow"));
    EXPECT_EQ(std::ranges::count(denied.err, '\n'), 1) << denied.err;
    EXPECT_EQ(holdfast_({"show", "job"}).code, 77);
    EXPECT_EQ(holdfast_({"unlock", "job", "--force"}).code, 77);
  }
  holdfast_.set("HOLDFAST_URL=zookeeper://" + where_);
  EXPECT_EQ(run().code, 77);
  const Outcome shown =
      run({"--url", std::string("zookeeper://ann:") + kCanary + "@" + where_});
  EXPECT_EQ(shown.code, 75);
  EXPECT_THAT(shown.err, HasSubstr("a password in --url"));
}

TEST_F(ZookeeperCliUser, MayHaveThePasswordFromTheEnvironment) {
  as("ann");
  EXPECT_EQ(run().code, 77);
  holdfast_.set(std::string("HOLDFAST_PASSWORD=") + kCanary);
  EXPECT_EQ(run().code, 75);
}

TEST_F(ZookeeperCliUser, MayHaveThePasswordFromAFile) {
  std::ofstream(holdfast_.file("password")) << kCanary << "\n";
  as("ann", "?password_file=" + holdfast_.file("password"));
  EXPECT_EQ(run().code, 75);
  as("ann", "?password_file=/no/such/file");
  EXPECT_EQ(run().code, 77);
}

TEST_F(ZookeeperCliUser, MayBeInTheConfigFile) {
  std::ofstream(holdfast_.file("conf"))
      << "type = zookeeper\naddress = " << where_.substr(0, where_.find('/'))
      << "\npath = " << where_.substr(where_.find('/'))
      << "\nuser = ann\npassword = " << kCanary << "\n";
  EXPECT_EQ(run({"--config", holdfast_.file("conf")}).code, 75);
}

TEST(ZookeeperCliWarning, OfASessionThatTheServerDoesNotAllow) {
  Program holdfast;
  std::ofstream(holdfast.file("conf"))
      << "type = zookeeper\naddress = 127.0.0.1:" << shared_zookeeper()
      << "\nttl = 100ms\n";
  const Outcome outcome =
      holdfast({"show", "--engine", "--config", holdfast.file("conf")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("sessions of 500 ms, not of 100 ms"));
}

INSTANTIATE_TEST_SUITE_P(
    Zookeeper, BadUrlTest,
    testing::Values(BadUrl{"zookeepers://ann:c4n4ry@127.0.0.1", 78, "TLS"},
                    BadUrl{"zookeeper://127.0.0.1?color=red", 78, "color"},
                    BadUrl{"zookeeper://127.0.0.1?names=short", 78, "names"},
                    BadUrl{"zookeeper://127.0.0.1?hand_over=perhaps", 78, "hand_over"},
                    BadUrl{"zookeeper://127.0.0.1?password_file=", 78, "password_file"},
                    BadUrl{"zookeeper://127.0.0.1/a//b", 78, "/app/locks"},
                    BadUrl{"zookeeper://127.0.0.1/a/../b", 78, "/app/locks"},
                    BadUrl{"zookeeper://127.0.0.1:99999", 78, "port"},
                    BadUrl{"zookeeper://h1:1,:2", 78, "host"},
                    BadUrl{"zookeeper://:c4n4ry@127.0.0.1", 78, "user"},
                    BadUrl{"zookeeper://no-such-host.invalid", 69,
                           "no-such-host.invalid"},
                    BadUrl{"zookeeper://ann:c4n4ry@127.0.0.1:1", 69, "127.0.0.1:1"}));

}  // namespace
}  // namespace holdfast::test

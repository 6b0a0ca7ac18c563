// SPDX-License-Identifier: Apache-2.0

// The program on a ZooKeeper server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "cli/program.h"
#include "support/zookeeper_shared.h"
#include "support/zookeeper_shell.h"

namespace holdfast::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kCurator = "_c_6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001-lock-";

class ZookeeperCli : public testing::Test {
 protected:
  ZookeeperCli() {
    holdfast_.set("HOLDFAST_URL=zookeeper://127.0.0.1:" + std::to_string(port_) +
                  root_);
  }

  std::string path(const std::string& name) const { return root_ + "/" + name; }

  const std::uint16_t port_ = shared_zookeeper();
  const std::string root_ =
      "/cli-" + std::to_string(getpid()) + "-" + std::to_string(std::random_device()());
  ZookeeperShell shell_{port_};
  Program holdfast_;
};

TEST_F(ZookeeperCli, ShowsAndUnlocksWhatAPeerHolds) {
  shell_.create(root_);
  shell_.create(path("job"));
  const std::string node =
      shell_.create(path("job/") + kCurator, "10.0.0.9", ZOO_EPHEMERAL_SEQUENTIAL);
  const std::string owner = node.substr(path("job/").size());
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job +10.0.0.9"));
  EXPECT_THAT(holdfast_({"show", "job"}).out, HasSubstr("Holder : 10.0.0.9"));
  EXPECT_THAT(holdfast_({"show", "--json", "job"}).out,
              HasSubstr("\"owner\":\"" + owner + "\""));
  EXPECT_EQ(holdfast_({"unlock", "job", "--force"}).code, 0);
  EXPECT_THAT(shell_.children(path("job")), IsEmpty());
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_F(ZookeeperCli, AHolderIsANode) {
  Process holder = holdfast_.hold("a/b", kUntilTold);
  EXPECT_THAT(shell_.children(path("a%2Fb")), SizeIs(1));
  EXPECT_THAT(holdfast_({"show", "a/b"}).out, ContainsRegex("  Since  : 20"));
}

TEST_F(ZookeeperCli, AFairMutexIsAMutex) {
  Process holder = holdfast_.hold("job", kUntilTold, {"--fair"});
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
}

TEST_F(ZookeeperCli, NumbersAreThoseOfCurator) {
  EXPECT_EQ(holdfast_({"run", "--permits", "2", "uploads", "true"}).code, 0);
  EXPECT_EQ(shell_.get(path("uploads/permits")), std::string("\0\0\0\2", 4));
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "258"}).out, "258\n");
  EXPECT_EQ(shell_.get(path("stock")), std::string("\0\0\0\0\0\0\1\2", 8));
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_TRUE(shell_.exists(path("maintenance")));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// The rights to our nodes when the URL has a user and a password.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "conformance/claim_lock.h"
#include "faults/zookeeper/ground.h"
#include "holdfast/counter.h"

namespace holdfast::test {
namespace {

constexpr int kAll = 31;

class Rights : public OnZookeeper {
 protected:
  std::string url(const std::string& user) const {
    return "zookeeper://" + user + "@127.0.0.1:" + std::to_string(port_) + root_;
  }
};

TEST_F(Rights, NodesAreTheUsersAlone) {
  const Client client = open_quietly(url("ann:c4n4ry"));
  Mutex mutex(client, "a");
  mutex.lock();
  ASSERT_TRUE(Counter(client, "n").add(1));
  shell_.sign_on("ann", "c4n4ry");
  for (const std::string& path : {only_node("a"), path("n")}) {
    const std::string rights = shell_.rights(path);
    EXPECT_TRUE(rights.starts_with("digest:ann:")) << rights;
    EXPECT_TRUE(rights.ends_with("= " + std::to_string(kAll))) << rights;
    EXPECT_EQ(rights.find('\n'), std::string::npos) << rights;
  }
  ZookeeperShell stranger(port_);
  EXPECT_THROW(stranger.set(path("n"), "12345678"), std::runtime_error);
}

TEST_F(Rights, AnotherUserIsDenied) {
  const Client ann = open_quietly(url("ann:c4n4ry"));
  Mutex mutex(ann, "a");
  mutex.lock();
  ASSERT_TRUE(Counter(ann, "n").add(1));
  for (const char* user : {"ann:wrong", "bob:c4n4ry"}) {
    const Client other = open_quietly(url(user));
    const auto lock = Mutex(other, "a").acquire({.wait = Timeout::zero()});
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().code, Errc::denied) << lock.error().message();
    const auto sum = Counter(other, "n").add(1);
    ASSERT_FALSE(sum);
    EXPECT_EQ(sum.error().code, Errc::denied) << sum.error().message();
    EXPECT_EQ(lock.error().message().find("c4n4ry"), std::string::npos);
  }
  EXPECT_TRUE(mutex.token());
}

TEST_F(Rights, APasswordIsInNoError) {
  const Client client = open_quietly(
      "zookeeper://ann:c4n4ry@127.0.0.1:" + std::to_string(line_.port()) + root_);
  const auto resource = client.session().bind({engine::Kind::mutex, "a"}).value();
  const auto error = [&] {
    const auto until = Clock::now() + scaled(std::chrono::milliseconds(300));
    const auto refused = resource->attempt({.ticket = next_ticket()}, nullptr, until);
    return refused ? "" : refused.error().message();
  };
  line_.freeze();
  const std::string late = error();
  line_.unreachable(true);
  const std::string gone = error();
  for (const std::string& each : {late, gone}) {
    EXPECT_TRUE(is_one_sentence(each)) << each;
    EXPECT_EQ(each.find("c4n4ry"), std::string::npos) << each;
  }
}

TEST_F(Rights, TheyLastOverANewConnectionAndANewSession) {
  const std::string through =
      "zookeeper://ann:c4n4ry@127.0.0.1:" + std::to_string(line_.port()) + root_;
  const Client client = open_quietly(through);
  Mutex mutex(client, "a");
  shell_.sign_on("ann", "c4n4ry");
  for (const bool expired : {false, true, false}) {
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    const std::string node = only_node("a");
    EXPECT_TRUE(shell_.rights(node).starts_with("digest:ann:")) << shell_.rights(node);
    expired ? expire(session_of(node)) : line_.cut_all();
    mutex.unlock();
    ASSERT_TRUE(has_nodes("a", 0));
  }
}

TEST_F(Rights, WithoutAUserEveryClientMay) {
  Mutex mutex(open(), "a");
  mutex.lock();
  EXPECT_EQ(shell_.rights(only_node("a")), "world:anyone 31");
}

TEST(ZookeeperTls, IsRefusedInOneSentence) {
  const auto client = Client::open("zookeepers://127.0.0.1:2281");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::unsupported) << client.error().message();
  EXPECT_NE(client.error().message().find("TLS"), std::string::npos)
      << client.error().message();
}

}  // namespace
}  // namespace holdfast::test

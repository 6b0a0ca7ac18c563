// SPDX-License-Identifier: Apache-2.0

// Ways to a server, and names that have to arrive there as they are.

#include <gtest/gtest.h>

#include <fstream>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

TEST(RedisAddresses, AUnixSocket) {
  const TempDir dir;
  const std::string path = dir.file("redis.sock");
  const RedisServer server({"unixsocket " + path});
  Mutex over_socket(open_quietly("redis://" + path), "a");
  Mutex over_tcp(open_quietly(server.url()), "a");
  ASSERT_TRUE(over_socket.try_lock());
  EXPECT_FALSE(over_tcp.try_lock());
  Mutex elsewhere(open_quietly("redis://" + path + "?db=2"), "a");
  EXPECT_TRUE(elsewhere.try_lock()) << "another database";
}

TEST(RedisAddresses, ADatabase) {
  const RedisServer server;
  Mutex first(open_quietly(server.url()), "a");
  Mutex second(open_quietly(server.url("/1")), "a");
  Mutex third(open_quietly(server.url("/1")), "a");
  EXPECT_TRUE(first.try_lock());
  EXPECT_TRUE(second.try_lock());
  EXPECT_FALSE(third.try_lock());
}

TEST(RedisAddresses, APasswordFromAFileAndAUser) {
  const RedisServer server({"user app on >s3same ~* &* +@all", "requirepass other"});
  const TempDir dir;
  std::ofstream(dir.file("password")) << "s3same\n";
  const std::string at = "app@127.0.0.1:" + std::to_string(server.port());
  const std::string file = "?password_file=" + dir.file("password");
  EXPECT_TRUE(Mutex(open_quietly("redis://" + at + file), "a").try_lock());
  const Failure failure = first_failure("redis://" + at + "?password_file=/no/such");
  EXPECT_EQ(failure.code, Errc::denied) << failure.message();
}

TEST(RedisAddresses, TheClientHasAName) {
  const RedisServer server;
  const Client client = open_quietly(server.url("?client_name=shop"));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
  EXPECT_NE(server.command({"CLIENT", "LIST"}).find("name=shop"), std::string::npos);
}

// The key of a lock is its name, whatever is in it: peers look there.
TEST(RedisAddresses, EveryNameIsItsKey) {
  const RedisServer server;
  const Client client = open_quietly(server.url());
  for (const std::string& name :
       {std::string("a b"), std::string("{stock}"), std::string("{stock}:1"),
        std::string("a{b"), std::string("a}b{c}"), std::string("{}"), std::string("*"),
        std::string(500, 'n'), std::string("{") + std::string(498, 'n') + "}",
        std::string("Größe/鍵")}) {
    Mutex mutex(client, name);
    auto hold = mutex.acquire();
    ASSERT_TRUE(hold) << name << ": " << hold.error().message();
    EXPECT_EQ(server.command({"TYPE", name}), "hash") << name;
    EXPECT_EQ(server.command({"HLEN", name}), "1") << name;
    EXPECT_TRUE(hold->release()) << name;
    EXPECT_EQ(left_behind(server), "") << name;
  }
}

}  // namespace
}  // namespace holdfast::test

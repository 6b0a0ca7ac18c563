// SPDX-License-Identifier: Apache-2.0

// The keys that we make are those that Go makes, byte for byte.

#include <iterator>
#include <regex>
#include <sstream>

#include "holdfast/holdfast.h"
#include "interop/etcd/etcd_interop.h"

namespace holdfast::test {
namespace {

constexpr const char* kHex = "[1-9a-f][0-9a-f]*";
const std::string kOneOfSeveral = std::string(kHex) + "-" + kHex;

std::string in_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte / 16];
    hex += kDigits[byte % 16];
  }
  return hex;
}

class Layout : public EtcdInterop {
 protected:
  const Client client = open("Mutex");

  std::vector<std::string> keys_in_go() {
    std::istringstream words(peer().ask("keys", "keys", lock + "/").value);
    return {std::istream_iterator<std::string>(words), {}};
  }

  // Expects that each key is the name followed by that pattern, and that its lease is
  // in the key and attached to it.
  void expect_leased(const std::vector<std::string>& patterns) {
    const auto all = keys_in_go();
    ASSERT_EQ(all.size(), patterns.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string rest = all[i].substr(lock.size());
      EXPECT_TRUE(std::regex_match(rest, std::regex(patterns[i]))) << all[i];
      const std::size_t slash = all[i].rfind('/');
      const std::size_t end = std::min(all[i].find('-', slash), all[i].size());
      EXPECT_EQ(ask_about(all[i], "lease"), all[i].substr(slash + 1, end - slash - 1));
    }
  }
  void expect_lasting(const std::string& key, std::string_view value) {
    EXPECT_EQ(ask_about(key, "lease"), "0");
    EXPECT_EQ(ask_about(key, "value"), in_hex(value));
  }
  std::string only_key() {
    const auto all = keys(lock);
    return all.empty() ? lock : all.front();
  }
};

TEST_F(Layout, OfAMutex) {
  Mutex mutex(client, lock);
  auto hold = mutex.acquire().value();
  expect_leased({std::string("/") + kHex});
  EXPECT_EQ(std::to_string(hold.token().value), ask_about(only_key(), "created"));
  EXPECT_NE(ask_about(only_key(), "value").find(in_hex(":")), std::string::npos);
  hold.release().value();
  EXPECT_TRUE(keys(lock).empty());
}

TEST_F(Layout, OfAFairMutex) {
  FairMutex mutex(client, lock);
  const auto hold = mutex.acquire().value();
  expect_leased({std::string("/") + kHex});
}

TEST_F(Layout, OfASharedMutex) {
  SharedMutex mutex(client, lock);
  {
    const auto one = mutex.acquire_shared().value();
    const auto two = mutex.acquire_shared().value();
    expect_leased({"/read/" + kOneOfSeveral, "/read/" + kOneOfSeveral});
  }
  const auto writer = mutex.acquire().value();
  expect_leased({"/write/" + kOneOfSeveral});
  EXPECT_EQ(std::to_string(writer.token().value), ask_about(only_key(), "created"));
}

TEST_F(Layout, OfAnElection) {
  Election election(client, lock);
  election.campaign("me").value();
  expect_leased({std::string("/") + kHex});
  EXPECT_EQ(ask_about(only_key(), "value"), in_hex("me"));
  EXPECT_EQ(std::to_string(election.token().value), ask_about(only_key(), "created"));
}

TEST_F(Layout, OfASemaphore) {
  Semaphore semaphore(client, lock, 3);
  auto permits = semaphore.acquire_many(2).value();
  expect_lasting(lock + "/permits", "3");
  const auto claims = keys(lock + "/claims");
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_TRUE(ask_about(claims[0], "value").starts_with(in_hex("2 ")));
  EXPECT_NE(ask_about(claims[0], "lease"), "0");
  permits.release().value();
  EXPECT_TRUE(keys(lock + "/claims").empty());
}

TEST_F(Layout, OfADoubleBarrier) {
  DoubleBarrier barrier(client, lock, 1);
  barrier.enter().value();
  EXPECT_EQ(keys(lock + "/waiters").size(), 1U);
  EXPECT_EQ(ask_about(lock + "/ready", "lease"), "0");
  barrier.leave().value();
  EXPECT_TRUE(keys(lock).empty());
}

TEST_F(Layout, OfRegisters) {
  Counter(client, lock + "c").exchange(42).value();
  expect_lasting(lock + "c", "42");
  SharedCount(client, lock + "s").set(-2).value();
  expect_lasting(lock + "s", "count -2");
  Latch(client, lock + "l").set_count(3).value();
  expect_lasting(lock + "l", "latch 3");
  Barrier barrier(client, lock + "b");
  barrier.set().value();
  EXPECT_EQ(ask_about(lock + "b", "lease"), "0");
  barrier.remove().value();
  EXPECT_EQ(ask_about(lock + "b", "lease"), "error");
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// One node of five answers late, or its answers are lost.

#include <gtest/gtest.h>

#include <algorithm>

#include "faults/quorum/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class BadNodes : public Five {
 protected:
  // The last node is reached through a faulty connection.
  Client open_through(const FaultProxy& line, std::chrono::milliseconds ttl) {
    std::string url = Five::url();
    const std::string direct = servers_[4].url();
    url.replace(url.find(direct), direct.size(), line.url());
    return open_quietly(url, ttl);
  }

  static Clock::duration time_of(Mutex& mutex) {
    const auto start = Clock::now();
    const auto hold = mutex.acquire({.wait = patience()});
    EXPECT_TRUE(hold) << hold.error().message();
    return Clock::now() - start;
  }
};

TEST_F(BadNodes, WhatWasGrantedWithoutAnAnswerIsGivenBack) {
  FaultProxy line(servers_[4].port());
  Mutex mutex(open_through(line, scaled(30s)), "a");
  for (int lost = 1; lost <= 4; ++lost) {
    line.lose_replies(lost);
    auto hold = mutex.acquire({.wait = Timeout::zero()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->release());
    EXPECT_TRUE(is_clean(4)) << "after " << lost << " lost replies";
  }
}

TEST_F(BadNodes, ADropThatDidNotArriveIsRepeated) {
  FaultProxy line(servers_[4].port());
  Mutex mutex(open_through(line, scaled(60s)), "a");
  const auto knows_the_scripts = [&] {  // A slow node may be passed over.
    mutex.lock();
    mutex.unlock();
    return is_clean(4) && line.passed()["EVAL"] >= 2;
  };
  ASSERT_TRUE(eventually(knows_the_scripts));
  for (int lost = 1; lost <= 4; ++lost) {
    line.lose_requests(lost, 1);
    auto hold = mutex.acquire({.wait = Timeout::zero()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->release());
    EXPECT_TRUE(is_clean(4)) << "after " << lost << " lost drops";
  }
}

TEST_F(BadNodes, WhatTooFewGrantedIsGivenBackAlsoWithoutAnAnswer) {
  FaultProxy line(servers_[4].port());
  Mutex mutex(open_through(line, scaled(30s)), "a");
  for (const std::size_t i : {0, 1, 2}) servers_[i].kill();
  line.lose_replies(2);
  EXPECT_FALSE(mutex.acquire({.wait = Timeout::zero()}));
  EXPECT_TRUE(is_clean(3));
  EXPECT_TRUE(is_clean(4));
}

TEST_F(BadNodes, OneThatIsStoppedSlowsNoClient) {
  Mutex mutex(open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  servers_[1].pause();
  const auto longest = scaled(30s) / 10;  // that a node is waited for
  for (int i = 0; i < 20; ++i) EXPECT_LT(time_of(mutex), longest / 3);
  servers_[1].resume();
  EXPECT_TRUE(is_clean(1)) << "something is left of what it was asked meanwhile";
}

TEST_F(BadNodes, OneThatAnswersLateSlowsNoClient) {
  FaultProxy line(servers_[4].port());
  Mutex mutex(open_through(line, scaled(30s)), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  line.delay(scaled(50ms));
  Clock::duration shortest = patience();
  for (int i = 0; i < 10; ++i) shortest = std::min(shortest, time_of(mutex));
  EXPECT_LT(shortest, scaled(50ms));
  EXPECT_TRUE(is_clean(4));
}

TEST_F(BadNodes, OneThatIsStoppedSlowsNoRefusedClient) {
  Mutex holder(open(), "a");
  Mutex other(open(), "a");
  holder.lock();
  servers_[1].pause();
  const auto longest = scaled(30s) / 10;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    EXPECT_FALSE(other.try_lock());
    EXPECT_LT(Clock::now() - start, longest / 3);
  }
  servers_[1].resume();
  holder.unlock();
}

// The node is needed for a majority, because two others are dead.
TEST_F(BadNodes, OneThatIsStoppedIsWaitedForNoLongerThanItsTime) {
  const auto ttl = scaled(5s);
  Mutex mutex(open(ttl), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  servers_[3].kill();
  servers_[4].kill();
  servers_[0].pause();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = Timeout::zero()});
  EXPECT_LT(Clock::now() - start, ttl / 10 + scaled(500ms));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  servers_[0].resume();
  EXPECT_TRUE(
      eventually([&] { return mutex.acquire({.wait = patience()}).has_value(); }));
  for (const std::size_t i : {0, 1, 2}) EXPECT_TRUE(is_clean(i));
}

TEST_F(BadNodes, OneThatIsStoppedDoesNotHangClose) {
  const auto ttl = scaled(5s);
  Client client = open(ttl);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  servers_[0].pause();
  const auto start = Clock::now();
  client.close();
  EXPECT_LT(Clock::now() - start, scaled(3s));
  servers_[0].resume();
  EXPECT_TRUE(Mutex(open(), "a").try_lock());
}

}  // namespace
}  // namespace holdfast::test

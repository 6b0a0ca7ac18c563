// SPDX-License-Identifier: Apache-2.0

#include "faults/lost_calls.h"

#include <gtest/gtest.h>

#include "faults/zookeeper/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class ZookeeperLostCalls : public OnZookeeper {
 protected:
  int calls() const {
    int sum = 0;
    for (const auto& [word, number] : line_.passed()) {
      if (word != "ping" && word != "sign_on" && word != "watches") sum += number;
    }
    return sum;
  }

  const LostCalls calls_{
      bad_line_, [this] { return calls(); },
      [this](const std::string& name, const Hold& hold) {
        const auto created = shell_.stat(only_node(name)).czxid;
        EXPECT_EQ(static_cast<std::uint64_t>(created), hold.token().value);
      },
      scaled(6s)};  // a library that is cut off waits for a sixtieth of this
};

TEST_F(ZookeeperLostCalls, ALockAndAnUnlock) { a_lock_and_an_unlock(calls_); }
TEST_F(ZookeeperLostCalls, AReleaseIsToldTruly) { a_release_is_told_truly(calls_); }
TEST_F(ZookeeperLostCalls, AWait) { a_wait(calls_); }
TEST_F(ZookeeperLostCalls, AWaitThatIsGivenUp) { a_wait_that_is_given_up(calls_); }
TEST_F(ZookeeperLostCalls, ALook) { a_look(calls_); }
TEST_F(ZookeeperLostCalls, ReadersAndADowngrade) { readers_and_a_downgrade(calls_); }
TEST_F(ZookeeperLostCalls, Permits) { permits(calls_); }
TEST_F(ZookeeperLostCalls, Parties) { parties(calls_); }
TEST_F(ZookeeperLostCalls, AChangeIsMadeOnce) { a_change_is_made_once(calls_); }
TEST_F(ZookeeperLostCalls, AVersionedChange) {
  a_versioned_change_is_made_once(calls_);
}

TEST_F(ZookeeperLostCalls, Renewals) {
  const auto ttl = scaled(2s);
  const Client client = open(ttl);
  for (int step = 0; step < 4; ++step) {
    for (const bool reply : {false, true}) {
      Mutex mutex(client, "a");
      const auto hold = mutex.acquire({.wait = patience()});
      ASSERT_TRUE(hold) << hold.error().message();
      reply ? line_.lose_replies(1, step) : line_.lose_requests(1, step);
      EXPECT_TRUE(throughout(ttl, [&] { return hold->valid(); }));
      line_.lose_replies(0);
    }
  }
}

}  // namespace
}  // namespace holdfast::test

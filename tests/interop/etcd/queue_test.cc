// SPDX-License-Identifier: Apache-2.0

// Both sides stand in one queue, and tokens grow along it.

#include <future>

#include "holdfast/mutex.h"
#include "interop/etcd/etcd_interop.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Queue : public EtcdInterop {
 protected:
  const Client client = open("Mutex");
  Mutex mutex{client, lock};
};

TEST_F(Queue, GrantsInTheOrderOfArrival) {
  peer_takes("holder", "Mutex", lock);
  peer().tell("first", "lock", "Mutex", lock, -1, -1);
  ASSERT_TRUE(keys_are(lock, 2));
  auto second = std::async(std::launch::async, [&] {
    auto hold = mutex.acquire({.wait = patience()}).value();
    const auto granted = steady_clock::now();
    hold.release().value();
    return granted;
  });
  ASSERT_TRUE(keys_are(lock, 3));
  peer().tell("third", "lock", "Mutex", lock, -1, -1);
  ASSERT_TRUE(keys_are(lock, 4));

  peer_gives_back("holder", "Mutex", lock);
  const Answer first = peer().answer("first");
  ASSERT_EQ(first.said, "ok") << first.value;
  peer_gives_back("first", "Mutex", lock);
  const Answer third = peer().answer("third");
  ASSERT_EQ(third.said, "ok") << third.value;
  const auto granted = second.get();
  EXPECT_LT(first.ended, granted);
  EXPECT_LT(granted, third.ended);
  peer_gives_back("third", "Mutex", lock);
}

TEST_F(Queue, AWaiterThatGivesUpIsNotWaitedFor) {
  peer_takes("holder", "Mutex", lock);
  EXPECT_EQ(code_of(mutex.acquire({.wait = scaled(milliseconds(200))})),
            Errc::timed_out);
  EXPECT_TRUE(keys_are(lock, 1));
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_TRUE(keys_are(lock, 1));
  peer_gives_back("holder", "Mutex", lock);
  peer_takes("next", "Mutex", lock);
  peer_gives_back("next", "Mutex", lock);
}

TEST_F(Queue, AWaiterInGoThatGivesUpIsNotWaitedFor) {
  auto hold = mutex.acquire().value();
  EXPECT_EQ(peer().ask("t", "lock", "Mutex", lock, 0, -1).said, "timeout");
  EXPECT_EQ(peer().ask("t", "lock", "Mutex", lock, 200, -1).said, "timeout");
  EXPECT_TRUE(keys_are(lock, 1));
  hold.release().value();
  EXPECT_TRUE(mutex.try_lock_for(patience()));
  mutex.unlock();
}

// A key that comes later under the same name is not the one that was waited for.
TEST_F(Queue, AKeyThatIsUsedAgainIsANewClaim) {
  auto hold = mutex.acquire().value();
  peer().tell("t", "lock", "Mutex", lock, -1, -1);
  ASSERT_TRUE(keys_are(lock, 2));
  hold.release().value();
  auto again = std::async(std::launch::async,
                          [&] { return mutex.acquire({.wait = patience()}); });
  EXPECT_EQ(peer().answer("t").said, "ok");
  ASSERT_TRUE(keys_are(lock, 2));
  EXPECT_EQ(again.wait_for(scaled(milliseconds(200))), std::future_status::timeout);
  peer_gives_back("t", "Mutex", lock);
  EXPECT_TRUE(again.get());
}

// Both sides use one number: the revision at which the key was created.
TEST_F(Queue, TokensGrowWithEveryGrantOnEitherSide) {
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const Answer go = peer().ask("t", "lock", "Mutex", lock, patience(), -1);
    ASSERT_EQ(go.said, "ok") << go.value;
    const std::uint64_t created = std::stoull(ask_about(go.value, "created"));
    EXPECT_GT(created, last);
    peer_gives_back("t", "Mutex", lock);
    auto hold = mutex.acquire({.wait = patience()}).value();
    EXPECT_GT(hold.token().value, created);
    last = hold.token().value;
    EXPECT_EQ(std::to_string(last), ask_about(keys(lock).at(0), "created"));
    hold.release().value();
  }
}

}  // namespace
}  // namespace holdfast::test

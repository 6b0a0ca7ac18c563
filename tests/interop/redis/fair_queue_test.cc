// SPDX-License-Identifier: Apache-2.0

// Both sides stand in one queue for a fair lock.

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "interop/redis/redis_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class FairQueue : public Interop {
 protected:
  const std::string lock = name("lock");

  testing::AssertionResult queued(long number) {
    const auto length = [&] {
      return std::stol(
          server_of(lock).command({"LLEN", "redisson_lock_queue:{" + lock + "}"}));
    };
    if (eventually([&] { return length() == number; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << length() << " are queued, not " << number;
  }

  void take_from_java() {
    ASSERT_EQ(peer().ask("holder", "lock", "RFairLock", lock, 0, -1).said, "ok");
  }
  void give_back_to_java() { peer().ask("holder", "unlock", "RFairLock", lock); }
};

TEST_F(FairQueue, GrantsInTheOrderOfArrival) {
  const Client client = open("RFairLock");
  take_from_java();
  peer().tell("first", "lock", "RFairLock", lock, -1, -1);
  ASSERT_TRUE(queued(1));
  auto second = std::async(std::launch::async, [&] {
    const auto ours = make_ours("RFairLock", client, lock);
    ours->acquire({.wait = patience()}).value();
    const auto granted = steady_clock::now();
    ours->release().value();
    return granted;
  });
  ASSERT_TRUE(queued(2));
  peer().tell("third", "lock", "RFairLock", lock, -1, -1);
  ASSERT_TRUE(queued(3));

  give_back_to_java();
  const Answer first = peer().answer("first");
  ASSERT_EQ(first.said, "ok") << first.value;
  peer().ask("first", "unlock", "RFairLock", lock);
  const Answer third = peer().answer("third");
  ASSERT_EQ(third.said, "ok") << third.value;
  const auto granted = second.get();
  EXPECT_LT(first.ended, granted);
  EXPECT_LT(granted, third.ended);
  peer().ask("third", "unlock", "RFairLock", lock);
  EXPECT_TRUE(queued(0));
}

// Java's waiters are behind, between and ahead of ours, which hand the lock over to
// each other without asking.
TEST_F(FairQueue, GrantsInTheOrderOfArrivalWhenOursHandOver) {
  const Client client = open("RFairLock");
  const auto holder = make_ours("RFairLock", client, lock);
  holder->acquire().value();
  const std::vector<std::string> waiters{"ours", "ours",  "java1", "ours",
                                         "ours", "java2", "ours"};
  std::vector<std::future<steady_clock::time_point>> ours;
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    if (waiters[i] == "ours") {
      ours.push_back(std::async(std::launch::async, [&] {
        const auto mine = make_ours("RFairLock", client, lock);
        mine->acquire({.wait = patience()}).value();
        const auto granted = steady_clock::now();
        mine->release().value();
        return granted;
      }));
    } else {
      peer().tell(waiters[i], "lock", "RFairLock", lock, -1, -1);
    }
    ASSERT_TRUE(queued(static_cast<long>(i) + 1));
  }

  auto last = steady_clock::now();
  holder->release().value();
  auto next_of_ours = ours.begin();
  for (const std::string& each : waiters) {
    SCOPED_TRACE(each);
    auto granted = last;
    if (each == "ours") {
      granted = (next_of_ours++)->get();
    } else {
      const Answer answer = peer().answer(each);
      ASSERT_EQ(answer.said, "ok") << answer.value;
      granted = answer.ended;
      peer().ask(each, "unlock", "RFairLock", lock);
    }
    EXPECT_LT(last, granted);
    EXPECT_LT(granted - last, scaled(milliseconds(2000))) << "it was not woken";
    last = granted;
  }
  EXPECT_TRUE(queued(0));
}

// A dead waiter stays in the queue for as long as Redisson's fairLockWaitTimeout says.
TEST_F(FairQueue, PassesOverADeadJavaWaiter) {
  const auto ours = make_ours("RFairLock", open("RFairLock"), lock);
  Peer victim = start_peer({.fair_wait = scaled(milliseconds(500))});
  ASSERT_EQ(victim.ask("holder", "lock", "RFairLock", lock, 0, 1000).said, "ok");
  victim.tell("waiter", "lock", "RFairLock", lock, -1, -1);
  ASSERT_TRUE(queued(1));
  victim.kill();
  const auto token = ours->acquire({.wait = patience()});
  EXPECT_TRUE(token) << token.error().message();
}

TEST_F(FairQueue, PassesOverADeadWaiterOfOurs) {
  const engine::Claim claim{.ticket = next_ticket()};
  ASSERT_EQ(peer().ask("holder", "lock", "RFairLock", lock, 0, 1000).said, "ok");
  {
    const Client victim = Client::open(url() + "?fair_wait=500ms").value();
    const auto resource = victim.session().bind(address_of("RFairLock", lock)).value();
    (void)resource->attempt(claim, victim.session().signal(), soon()).value();
  }
  ASSERT_TRUE(queued(1));
  EXPECT_EQ(peer().ask("next", "lock", "RFairLock", lock, patience(), -1).said, "ok");
  peer().ask("next", "unlock", "RFairLock", lock);
}

// A waiter that gives up leaves no claim behind that Java would wait for.
TEST_F(FairQueue, AWaiterThatGivesUpIsNotWaitedFor) {
  take_from_java();
  ClaimLock ours(open("RFairLock"), address_of("RFairLock", lock));
  EXPECT_EQ(code_of(ours.acquire({.wait = scaled(milliseconds(200))})),
            Errc::timed_out);
  EXPECT_TRUE(queued(0));
  give_back_to_java();
  EXPECT_EQ(peer().ask("next", "lock", "RFairLock", lock, 0, -1).said, "ok");
  peer().ask("next", "unlock", "RFairLock", lock);
}

// Redisson's own plain unlock does not do that.
TEST_F(FairQueue, OurPlainReleaseWakesItsHead) {
  const auto ours = make_ours("RLock", open("RLock"), lock);
  ours->acquire().value();
  peer().tell("waiter", "lock", "RFairLock", lock, -1, -1);
  ASSERT_TRUE(awaited(lock));
  const auto released = steady_clock::now();
  ours->release().value();
  const Answer granted = peer().answer("waiter");
  ASSERT_EQ(granted.said, "ok") << granted.value;
  EXPECT_LT(granted.ended - released, scaled(milliseconds(2000)));
  peer().ask("waiter", "unlock", "RFairLock", lock);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Processes are killed with SIGKILL while they hold or wait.

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Deaths : public Conformance {
 protected:
  Victim victim() { return Victim(engine().url()); }
  engine::Address address() const { return {engine::Kind::mutex, name("a")}; }
};

HOLDFAST_CONFORMANCE(Deaths);

TEST_P(Deaths, AKilledHolderLetsTheWaiterIn) {
  auto holder = victim();
  Mutex mutex(open(), name("a"));
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  const std::string before = holder.ask("token");
  auto entered = std::async(std::launch::async, [&] {
    auto hold = mutex.acquire({.wait = patience()});
    return std::pair(Clock::now(), hold ? hold->token() : FencingToken{});
  });
  ASSERT_TRUE(waiting(open(), address(), 1));
  const auto killed = Clock::now();
  holder.kill();
  const auto [at, token] = entered.get();
  ASSERT_TRUE(token);
  EXPECT_LT(at - killed, engine().death_told_within());
  EXPECT_GT(token.value, std::stoull(before.substr(3)));
}

TEST_P(Deaths, AKilledHolderLetsALaterComerIn) {
  auto holder = victim();
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  holder.kill();
  Mutex mutex(open(), name("a"));
  const auto hold = mutex.acquire({.wait = engine().death_told_within()});
  EXPECT_TRUE(hold) << hold.error().message();
}

TEST_P(Deaths, AHolderThatJustEndsLetsTheWaiterIn) {
  auto holder = victim();
  auto waiter = victim();
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  waiter.tell("lock " + name("a"));
  ASSERT_TRUE(waiting(open(), address(), 1));
  holder.process().close_stdin();
  EXPECT_EQ(waiter.answer(engine().death_told_within()), "ok");
}

TEST_P(Deaths, AKilledWaiterDoesNotHoldUpTheQueue) {
  const Client observer = open();
  Mutex mutex(open(), name("a"));
  auto first = victim();
  auto second = victim();
  mutex.lock();
  first.tell("lock " + name("a"));
  ASSERT_TRUE(waiting(observer, address(), 1));
  second.tell("lock " + name("a"));
  ASSERT_TRUE(waiting(observer, address(), 2));
  first.kill();
  mutex.unlock();
  EXPECT_EQ(second.answer(engine().death_told_within()), "ok");
}

TEST_P(Deaths, AChainOfDeathsDoesNotStopTheQueue) {
  const Client observer = open();
  std::vector<std::unique_ptr<Victim>> queue;
  for (std::size_t i = 0; i < 4; ++i) {
    queue.push_back(std::make_unique<Victim>(engine().url()));
    queue.back()->tell("lock " + name("a"));
    // The first process holds and the others wait: each one is in the queue before the
    // next comes.
    ASSERT_TRUE(
        eventually([&] { return survey(observer, address()).size() == i + 1; }));
  }
  queue[2]->kill();  // It is in the middle of the queue.
  queue.erase(queue.begin() + 2);
  while (!queue.empty()) {
    auto next = queue.begin();
    ASSERT_TRUE(eventually([&] {
      next = std::ranges::find_if(
          queue, [](const auto& each) { return each->answer(1ms) == "ok"; });
      return next != queue.end();
    })) << queue.size()
        << " are left";
    if (observer.traits(address().kind).orders) {
      EXPECT_EQ(next - queue.begin(), 0);
    }
    (*next)->kill();  // It is killed while it holds.
    queue.erase(next);
  }
}

TEST_P(Deaths, AKilledReaderLetsTheWriterIn) {
  const std::string what = "claim shared_mutex " + name("a");
  auto reader = victim();
  auto writer = victim();
  ASSERT_EQ(reader.ask(what + " shared 1 0"), "ok");
  writer.tell(what + " exclusive 1 0");
  ASSERT_TRUE(waiting(open(), {engine::Kind::shared_mutex, name("a")}, 1));
  reader.kill();
  EXPECT_EQ(writer.answer(engine().death_told_within()), "ok");
}

TEST_P(Deaths, AKilledHolderReturnsItsPermits) {
  const std::string what = "claim semaphore " + name("a") + " exclusive ";
  auto one = victim();
  auto two = victim();
  auto all = victim();
  ASSERT_EQ(one.ask(what + "1 3"), "ok");
  ASSERT_EQ(two.ask(what + "2 3"), "ok");
  all.tell(what + "3 3");
  ASSERT_TRUE(waiting(open(), {engine::Kind::semaphore, name("a")}, 1));
  two.kill();
  EXPECT_EQ(all.answer(scaled(200ms)), "") << "one permit is still taken";
  EXPECT_EQ(one.ask("drop"), "ok");
  EXPECT_EQ(all.answer(engine().death_told_within()), "ok");
}

TEST_P(Deaths, AKilledPartyIsNotCounted) {
  const std::string what = "claim double_barrier " + name("a") + " exclusive 1 2";
  const engine::Address at{engine::Kind::double_barrier, name("a")};
  auto first = victim();
  auto second = victim();
  auto third = victim();
  first.tell(what);
  ASSERT_TRUE(waiting(open(), at, 1));
  first.kill();
  ASSERT_TRUE(waiting(open(), at, 0));
  second.tell(what);
  ASSERT_TRUE(waiting(open(), at, 1));
  EXPECT_EQ(third.ask(what), "ok");
  EXPECT_EQ(second.answer(), "ok");
}

TEST_P(Deaths, ADeathEndsClaimsAndNothingElse) {
  const Client client = open();
  const auto counter =
      client.session().bind({engine::Kind::counter, name("n")}).value();
  ASSERT_TRUE(counter->add(3, engine::Ticket::none, Clock::now() + patience()));
  auto holder = victim();
  ASSERT_EQ(holder.ask("lock " + name("a")), "ok");
  holder.kill();
  ASSERT_TRUE(Mutex(client, name("a")).acquire({.wait = patience()}));
  EXPECT_EQ(counter->load(Clock::now() + patience()).value().number, 3);
}

}  // namespace
}  // namespace holdfast::test

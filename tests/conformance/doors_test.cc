// SPDX-License-Identifier: Apache-2.0

// Every primitive that makes callers wait must pass these cases, on every shape and
// every engine.

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stop_token>
#include <thread>

#include "conformance/conformance.h"
#include "conformance/door.h"
#include "holdfast/counter.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

const std::vector<Shape> kAll{
    Shape::mutex,     Shape::recursive_mutex, Shape::fair_mutex, Shape::shared_mutex,
    Shape::semaphore, Shape::election,        Shape::multi_lock, Shape::reader,
    Shape::latch,     Shape::barrier};

class DoorCase : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    if (shape() == Shape::semaphore) drained_ = drain(open(), name("a"));
  }

  Shape shape() const { return GetParam().of; }
  Door door(const Client& client) { return {shape(), client, name("a")}; }
  std::string of_a() const { return std::string(name_of(shape())) + " " + name("a"); }
  engine::Address address() const { return {kind_of(shape()), name("a")}; }

  // Observers see the waiter of a claim, but not those that watch a register.
  testing::AssertionResult is_waiting(std::size_t number = 1) {
    if (!dies_with_its_owner(shape())) return testing::AssertionSuccess();
    return waiting(open(), address(), number);
  }

 private:
  std::unique_ptr<Exclusive> drained_;
};

class Doors : public DoorCase {};
HOLDFAST_CONFORMANCE(Doors, kAll);

TEST_P(Doors, ShutTheyKeepOthersOutAndOpenTheyLetThemIn) {
  Door holder = door(open());
  Door other = door(open());
  ASSERT_TRUE(holder.shut());
  EXPECT_TRUE(holder.valid());
  const auto refused = other.pass({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out) << refused.error().message();
  ASSERT_TRUE(holder.open());
  const auto passed = other.pass({.wait = Timeout::zero()});
  EXPECT_TRUE(passed) << passed.error().message();
}

TEST_P(Doors, WakeTheirWaiters) {
  Door holder = door(open());
  ASSERT_TRUE(holder.shut());
  auto passed = std::async(std::launch::async, [&, client = open()] {
    return door(client).pass({.wait = patience()}).has_value();
  });
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(passed.wait_for(scaled(50ms)), std::future_status::timeout);
  const auto opened = Clock::now();
  ASSERT_TRUE(holder.open());
  EXPECT_TRUE(passed.get());
  EXPECT_LT(Clock::now() - opened, patience() / 4) << "found by chance, not rung";
}

TEST_P(Doors, AreNotWaitedForLongerThanAsked) {
  Door holder = door(open());
  Door other = door(open());
  ASSERT_TRUE(holder.shut());
  const auto start = Clock::now();
  const auto refused = other.pass({.wait = scaled(80ms)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out) << refused.error().message();
  EXPECT_FALSE(refused.error().context.empty());
  EXPECT_GE(Clock::now() - start, scaled(80ms));
  EXPECT_LT(Clock::now() - start, patience());
  EXPECT_TRUE(holder.valid());
  EXPECT_TRUE(is_waiting(0)) << "a trace is left";
}

TEST_P(Doors, AreNotWaitedForAfterAStop) {
  Door holder = door(open());
  ASSERT_TRUE(holder.shut());
  std::stop_source stop;
  auto refused = std::async(std::launch::async, [&, client = open()] {
    return door(client).pass({.stop = stop.get_token()}).error().code;
  });
  ASSERT_TRUE(is_waiting());
  stop.request_stop();
  EXPECT_EQ(refused.get(), Errc::cancelled);
  EXPECT_TRUE(is_waiting(0)) << "a trace is left";

  Door late = door(open());
  const auto at_once = late.pass({.stop = stop.get_token()});
  ASSERT_FALSE(at_once);
  EXPECT_EQ(at_once.error().code, Errc::cancelled);
}

TEST_P(Doors, OfAClosedClientAreNotWaitedFor) {
  Door holder = door(open());
  ASSERT_TRUE(holder.shut());
  Client client = open();
  auto refused = std::async(std::launch::async, [&] {
    Door other(shape(), client, name("a"));
    return other.pass().error().code;
  });
  ASSERT_TRUE(is_waiting());
  client.close();
  EXPECT_EQ(refused.get(), Errc::closed);
}

TEST_P(Doors, WithBadNamesAreRefused) {
  Door bad(shape(), open(), "");
  const auto refused = bad.pass({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_name);
}

class DoorDeaths : public DoorCase {
 protected:
  Victim victim() { return Victim(engine().url()); }
};
HOLDFAST_CONFORMANCE(DoorDeaths, kAll);

TEST_P(DoorDeaths, AKilledHolder) {
  auto holder = victim();
  ASSERT_EQ(holder.ask("door " + of_a()), "ok");
  ASSERT_EQ(holder.ask("shut"), "ok");
  Door other = door(open());
  ASSERT_FALSE(other.pass({.wait = Timeout::zero()}));
  holder.kill();
  if (dies_with_its_owner(shape())) {
    const auto passed = other.pass({.wait = engine().death_told_within()});
    EXPECT_TRUE(passed) << passed.error().message();
  } else {
    EXPECT_FALSE(other.pass({.wait = scaled(100ms)}))
        << "it outlives the client that shut it";
    EXPECT_TRUE(other.open());
    EXPECT_TRUE(other.pass({.wait = Timeout::zero()}));
  }
}

TEST_P(DoorDeaths, AKilledWaiter) {
  Door holder = door(open());
  auto first = victim();
  auto second = victim();
  ASSERT_TRUE(holder.shut());
  ASSERT_EQ(first.ask("door " + of_a()), "ok");
  ASSERT_EQ(second.ask("door " + of_a()), "ok");
  first.tell("pass");
  ASSERT_TRUE(is_waiting(1));
  second.tell("pass");
  ASSERT_TRUE(is_waiting(2));
  first.kill();
  ASSERT_TRUE(holder.open());
  EXPECT_EQ(second.answer(engine().death_told_within()), "ok");
}

TEST_P(DoorDeaths, AHolderThatIsStoppedPastItsLease) {
  const auto ttl = scaled(600ms);
  Victim holder(engine().url(), ttl);
  ASSERT_EQ(holder.ask("door " + of_a()), "ok");
  ASSERT_EQ(holder.ask("shut"), "ok");
  ASSERT_EQ(holder.ask("intact"), "ok yes");
  Door other = door(open());
  holder.stop();
  const bool leased = open().traits(address().kind).leased;
  if (leased && dies_with_its_owner(shape())) {
    const auto passed = other.pass({.wait = patience()});
    EXPECT_TRUE(passed) << passed.error().message();
    holder.go_on();
    EXPECT_EQ(holder.ask("intact"), "ok no") << "it must know by the clock alone";
  } else {
    EXPECT_FALSE(other.pass({.wait = 2 * ttl}));
    holder.go_on();
    EXPECT_EQ(holder.ask("intact"), "ok yes");
    EXPECT_EQ(holder.ask("open"), "ok");
    const auto passed = other.pass({.wait = patience()});
    EXPECT_TRUE(passed) << passed.error().message();
  }
}

class DoorRestarts : public DoorCase {};
HOLDFAST_CONFORMANCE(DoorRestarts, kAll);

TEST_P(DoorRestarts, LoseNeitherHolderNorWaiter) {
  Door holder = door(open());
  ASSERT_TRUE(holder.shut());
  auto passed = std::async(std::launch::async, [&, client = open()]() -> std::string {
    const auto outcome = door(client).pass({.wait = 2 * patience()});
    return outcome ? "passed" : outcome.error().message();
  });
  ASSERT_TRUE(is_waiting());
  ASSERT_TRUE(engine().restart());
  EXPECT_TRUE(holder.valid());
  EXPECT_NE(passed.wait_for(scaled(100ms)), std::future_status::ready);
  (void)holder.open();  // The connection is gone, so the call is retried.
  EXPECT_EQ(passed.get(), "passed");
}

class DoorOutages : public DoorCase {
 protected:
  Client open_quietly() {
    ClientOptions options;
    options.ttl = scaled(30s);
    options.log = [](LogLevel, std::string_view) {};
    return engine().open(std::move(options));
  }
};
HOLDFAST_CONFORMANCE(DoorOutages, kAll);

TEST_P(DoorOutages, ALostReplyToAnyStepChangesNothing) {
  for (int round = 0; round < 2; ++round) {
    Door holder = door(open_quietly());
    Door other = door(open_quietly());
    engine().faults()->lose_replies(1 + round);
    ASSERT_TRUE(holder.shut());
    ASSERT_FALSE(other.pass({.wait = scaled(20ms)}));
    engine().faults()->lose_replies(1 + round);
    (void)holder.open();  // A lost call is retried, perhaps in the background.
    const auto passed = other.pass({.wait = patience()});
    ASSERT_TRUE(passed) << passed.error().message();
    if (dies_with_its_owner(shape())) {
      ASSERT_TRUE(other.open());
    }
  }
}

class DoorKinds : public DoorCase {};
HOLDFAST_CONFORMANCE(DoorKinds, kAll);

// On an engine that keeps kinds apart by key, one of them may simply not see the other;
// then both go on undisturbed.
TEST_P(DoorKinds, ANameThatIsUsedByAnotherKindIsRefusedOrNotTheSame) {
  Door holder = door(open());
  ASSERT_TRUE(holder.shut());
  for (const Shape each : kAll) {
    if (kind_of(each) == kind_of(shape())) continue;
    Door other(each, open(), name("a"));
    const auto outcome = other.pass({.wait = Timeout::zero()});
    if (outcome) {
      if (dies_with_its_owner(each)) {
        EXPECT_TRUE(other.open()) << name_of(each);
      }
    } else {
      const auto code = outcome.error().code;
      EXPECT_TRUE(code == Errc::wrong_kind || code == Errc::timed_out ||
                  code == Errc::bad_argument || code == Errc::unsupported)
          << name_of(each) << ": " << outcome.error().message();
    }
    EXPECT_TRUE(holder.valid()) << name_of(each);
  }
  EXPECT_TRUE(holder.open());
}

TEST_P(DoorKinds, ALockAndANumberAreToldApart) {
  const bool number = shape() == Shape::latch || shape() == Shape::semaphore ||
                      shape() == Shape::barrier;
  // An election has keys of its own, and the others are numbers themselves.
  if (number || shape() == Shape::election) return;
  Door holder = door(open());
  ASSERT_TRUE(holder.shut());
  const auto refused = Counter(open(), name("a")).add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  EXPECT_TRUE(holder.open());
}

}  // namespace
}  // namespace holdfast::test

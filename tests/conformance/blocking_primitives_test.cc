// SPDX-License-Identifier: Apache-2.0

// Every primitive that makes callers wait must pass these cases, on every shape and
// every engine.

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stop_token>
#include <thread>

#include "conformance/blocking_primitive.h"
#include "conformance/conformance.h"
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

class BlockingPrimitiveCase : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    if (shape() == Shape::semaphore) drained_ = drain(open(), name("a"));
  }

  Shape shape() const { return GetParam().of; }
  BlockingPrimitive primitive(const Client& client) {
    return {shape(), client, name("a")};
  }
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

class BlockingPrimitives : public BlockingPrimitiveCase {};
HOLDFAST_CONFORMANCE(BlockingPrimitives, kAll);

TEST_P(BlockingPrimitives, BlockOthersUntilTheyAreUnblocked) {
  BlockingPrimitive holder = primitive(open());
  BlockingPrimitive other = primitive(open());
  ASSERT_TRUE(holder.block());
  EXPECT_TRUE(holder.valid());
  const auto refused = other.wait({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out) << refused.error().message();
  ASSERT_TRUE(holder.unblock());
  const auto passed = other.wait({.wait = Timeout::zero()});
  EXPECT_TRUE(passed) << passed.error().message();
}

TEST_P(BlockingPrimitives, WakeTheirWaiters) {
  BlockingPrimitive holder = primitive(open());
  ASSERT_TRUE(holder.block());
  auto passed = std::async(std::launch::async, [&, client = open()] {
    return primitive(client).wait({.wait = patience()}).has_value();
  });
  ASSERT_TRUE(is_waiting());
  EXPECT_EQ(passed.wait_for(scaled(50ms)), std::future_status::timeout);
  const auto opened = Clock::now();
  ASSERT_TRUE(holder.unblock());
  EXPECT_TRUE(passed.get());
  EXPECT_LT(Clock::now() - opened, patience() / 4) << "found by chance, not rung";
}

TEST_P(BlockingPrimitives, AreNotWaitedForLongerThanAsked) {
  BlockingPrimitive holder = primitive(open());
  BlockingPrimitive other = primitive(open());
  ASSERT_TRUE(holder.block());
  const auto start = Clock::now();
  const auto refused = other.wait({.wait = scaled(80ms)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out) << refused.error().message();
  EXPECT_FALSE(refused.error().context.empty());
  EXPECT_GE(Clock::now() - start, scaled(80ms));
  EXPECT_LT(Clock::now() - start, patience());
  EXPECT_TRUE(holder.valid());
  EXPECT_TRUE(is_waiting(0)) << "a trace is left";
}

TEST_P(BlockingPrimitives, AreNotWaitedForAfterAStop) {
  BlockingPrimitive holder = primitive(open());
  ASSERT_TRUE(holder.block());
  std::stop_source stop;
  auto refused = std::async(std::launch::async, [&, client = open()] {
    return primitive(client).wait({.stop = stop.get_token()}).error().code;
  });
  ASSERT_TRUE(is_waiting());
  stop.request_stop();
  EXPECT_EQ(refused.get(), Errc::cancelled);
  EXPECT_TRUE(is_waiting(0)) << "a trace is left";

  BlockingPrimitive late = primitive(open());
  const auto at_once = late.wait({.stop = stop.get_token()});
  ASSERT_FALSE(at_once);
  EXPECT_EQ(at_once.error().code, Errc::cancelled);
}

TEST_P(BlockingPrimitives, OfAClosedClientAreNotWaitedFor) {
  BlockingPrimitive holder = primitive(open());
  ASSERT_TRUE(holder.block());
  Client client = open();
  auto refused = std::async(std::launch::async, [&] {
    BlockingPrimitive other(shape(), client, name("a"));
    return other.wait().error().code;
  });
  ASSERT_TRUE(is_waiting());
  client.close();
  EXPECT_EQ(refused.get(), Errc::closed);
}

TEST_P(BlockingPrimitives, WithBadNamesAreRefused) {
  BlockingPrimitive bad(shape(), open(), "");
  const auto refused = bad.wait({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_name);
}

class BlockingPrimitiveDeaths : public BlockingPrimitiveCase {
 protected:
  Victim victim() { return Victim(engine().url()); }
};
HOLDFAST_CONFORMANCE(BlockingPrimitiveDeaths, kAll);

TEST_P(BlockingPrimitiveDeaths, AKilledHolder) {
  auto holder = victim();
  ASSERT_EQ(holder.ask("blocking " + of_a()), "ok");
  ASSERT_EQ(holder.ask("block"), "ok");
  BlockingPrimitive other = primitive(open());
  ASSERT_FALSE(other.wait({.wait = Timeout::zero()}));
  holder.kill();
  if (dies_with_its_owner(shape())) {
    const auto passed = other.wait({.wait = engine().death_told_within()});
    EXPECT_TRUE(passed) << passed.error().message();
  } else {
    EXPECT_FALSE(other.wait({.wait = scaled(100ms)}))
        << "it outlives the client that set it";
    EXPECT_TRUE(other.unblock());
    EXPECT_TRUE(other.wait({.wait = Timeout::zero()}));
  }
}

TEST_P(BlockingPrimitiveDeaths, AKilledWaiter) {
  BlockingPrimitive holder = primitive(open());
  auto first = victim();
  auto second = victim();
  ASSERT_TRUE(holder.block());
  ASSERT_EQ(first.ask("blocking " + of_a()), "ok");
  ASSERT_EQ(second.ask("blocking " + of_a()), "ok");
  first.tell("wait");
  ASSERT_TRUE(is_waiting(1));
  second.tell("wait");
  ASSERT_TRUE(is_waiting(2));
  first.kill();
  ASSERT_TRUE(holder.unblock());
  EXPECT_EQ(second.answer(engine().death_told_within()), "ok");
}

TEST_P(BlockingPrimitiveDeaths, AHolderThatIsStoppedPastItsLease) {
  const auto ttl = scaled(600ms);
  Victim holder(engine().url(), ttl);
  ASSERT_EQ(holder.ask("blocking " + of_a()), "ok");
  ASSERT_EQ(holder.ask("block"), "ok");
  ASSERT_EQ(holder.ask("intact"), "ok yes");
  BlockingPrimitive other = primitive(open());
  holder.stop();
  const bool leased = open().traits(address().kind).leased;
  if (leased && dies_with_its_owner(shape())) {
    const auto passed = other.wait({.wait = patience()});
    EXPECT_TRUE(passed) << passed.error().message();
    holder.go_on();
    EXPECT_EQ(holder.ask("intact"), "ok no") << "it must know by the clock alone";
  } else {
    EXPECT_FALSE(other.wait({.wait = 2 * ttl}));
    holder.go_on();
    EXPECT_EQ(holder.ask("intact"), "ok yes");
    EXPECT_EQ(holder.ask("unblock"), "ok");
    const auto passed = other.wait({.wait = patience()});
    EXPECT_TRUE(passed) << passed.error().message();
  }
}

class BlockingPrimitiveRestarts : public BlockingPrimitiveCase {};
HOLDFAST_CONFORMANCE(BlockingPrimitiveRestarts, kAll);

TEST_P(BlockingPrimitiveRestarts, LoseNeitherHolderNorWaiter) {
  BlockingPrimitive holder = primitive(open());
  ASSERT_TRUE(holder.block());
  auto passed = std::async(std::launch::async, [&, client = open()]() -> std::string {
    const auto outcome = primitive(client).wait({.wait = 2 * patience()});
    return outcome ? "passed" : outcome.error().message();
  });
  ASSERT_TRUE(is_waiting());
  ASSERT_TRUE(engine().restart());
  EXPECT_TRUE(holder.valid());
  EXPECT_NE(passed.wait_for(scaled(100ms)), std::future_status::ready);
  (void)holder.unblock();  // The connection is gone, so the call is retried.
  EXPECT_EQ(passed.get(), "passed");
}

class BlockingPrimitiveOutages : public BlockingPrimitiveCase {
 protected:
  Client open_quietly() {
    ClientOptions options;
    options.ttl = scaled(30s);
    options.log = [](LogLevel, std::string_view) {};
    return engine().open(std::move(options));
  }
};
HOLDFAST_CONFORMANCE(BlockingPrimitiveOutages, kAll);

TEST_P(BlockingPrimitiveOutages, ALostReplyToAnyStepChangesNothing) {
  for (int round = 0; round < 2; ++round) {
    BlockingPrimitive holder = primitive(open_quietly());
    BlockingPrimitive other = primitive(open_quietly());
    engine().faults()->lose_replies(1 + round);
    ASSERT_TRUE(holder.block());
    ASSERT_FALSE(other.wait({.wait = scaled(20ms)}));
    engine().faults()->lose_replies(1 + round);
    (void)holder.unblock();  // A lost call is retried, perhaps in the background.
    const auto passed = other.wait({.wait = patience()});
    ASSERT_TRUE(passed) << passed.error().message();
    if (dies_with_its_owner(shape())) {
      ASSERT_TRUE(other.unblock());
    }
  }
}

class BlockingPrimitiveKinds : public BlockingPrimitiveCase {};
HOLDFAST_CONFORMANCE(BlockingPrimitiveKinds, kAll);

// On an engine that keeps kinds apart by key, one of them may simply not see the other;
// then both go on undisturbed.
TEST_P(BlockingPrimitiveKinds, ANameThatIsUsedByAnotherKindIsRefusedOrNotTheSame) {
  BlockingPrimitive holder = primitive(open());
  ASSERT_TRUE(holder.block());
  for (const Shape each : kAll) {
    if (kind_of(each) == kind_of(shape())) continue;
    BlockingPrimitive other(each, open(), name("a"));
    const auto outcome = other.wait({.wait = Timeout::zero()});
    if (outcome) {
      if (dies_with_its_owner(each)) {
        EXPECT_TRUE(other.unblock()) << name_of(each);
      }
    } else {
      const auto code = outcome.error().code;
      EXPECT_TRUE(code == Errc::wrong_kind || code == Errc::timed_out ||
                  code == Errc::bad_argument || code == Errc::unsupported)
          << name_of(each) << ": " << outcome.error().message();
    }
    EXPECT_TRUE(holder.valid()) << name_of(each);
  }
  EXPECT_TRUE(holder.unblock());
}

TEST_P(BlockingPrimitiveKinds, ALockAndANumberAreToldApart) {
  const bool number = shape() == Shape::latch || shape() == Shape::semaphore ||
                      shape() == Shape::barrier;
  // An election has keys of its own, and the others are numbers themselves.
  if (number || shape() == Shape::election) return;
  BlockingPrimitive holder = primitive(open());
  ASSERT_TRUE(holder.block());
  const auto refused = Counter(open(), name("a")).add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  EXPECT_TRUE(holder.unblock());
}

}  // namespace
}  // namespace holdfast::test

// RAtomicLong and RCountDownLatch, which are our counter and latch.

#include <chrono>
#include <future>
#include <optional>

#include "conformance/claim_lock.h"
#include "interop/interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::kAnyVersion;
using engine::Kind;
using engine::Ticket;
using engine::Value;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Registers : public Interop {
 protected:
  const std::string number = name("number");
  const Client client = open("RAtomicLong");

  std::shared_ptr<engine::Resource> bind(Kind kind) const {
    return client.session().bind({kind, number}).value();
  }
};

TEST_F(Registers, CounterIsTheSameNumber) {
  const auto counter = bind(Kind::counter);
  peer().ask("t", "set", "RAtomicLong", number, 40);
  EXPECT_EQ(counter->load(soon()).value().number, 40);
  EXPECT_EQ(counter->add(2, next_ticket(), soon()).value().number, 42);
  EXPECT_EQ(peer().ask("t", "get", "RAtomicLong", number).value, "42");
}

TEST_F(Registers, CounterLosesNoAddition) {
  constexpr long kEach = 200;
  const auto counter = bind(Kind::counter);
  auto ours = std::async(std::launch::async, [&] {
    for (long i = 0; i < kEach; ++i) counter->add(1, next_ticket(), soon()).value();
  });
  for (long i = 0; i < kEach; ++i) peer().tell("t", "add", "RAtomicLong", number, 1);
  for (long i = 0; i < kEach; ++i) ASSERT_EQ(peer().answer("t").said, "ok");
  ours.get();
  EXPECT_EQ(counter->load(soon()).value().number, 2 * kEach);
}

TEST_F(Registers, CounterIsExchangedByOneSideAlone) {
  const auto counter = bind(Kind::counter);
  peer().ask("t", "set", "RAtomicLong", number, 7);
  const Value seven{.number = 7, .version = kAnyVersion};
  EXPECT_EQ(peer().ask("t", "swap", number, 7, 8).value, "true");
  EXPECT_FALSE(counter->exchange(seven, 9, next_ticket(), soon()).value().done);
  const Value eight{.number = 8, .version = kAnyVersion};
  EXPECT_TRUE(counter->exchange(eight, 9, next_ticket(), soon()).value().done);
  EXPECT_EQ(peer().ask("t", "swap", number, 8, 10).value, "false");
  EXPECT_EQ(peer().ask("t", "get", "RAtomicLong", number).value, "9");
}

TEST_F(Registers, LatchIsTheSameNumber) {
  const auto latch = bind(Kind::latch);
  EXPECT_TRUE(latch->exchange({}, 3, next_ticket(), soon()).value().done);
  EXPECT_EQ(peer().ask("t", "get", "RCountDownLatch", number).value, "3");
  EXPECT_EQ(peer().ask("t", "set", "RCountDownLatch", number, 5).value, "false");
  peer().ask("t", "add", "RCountDownLatch", number, -1);
  EXPECT_EQ(latch->load(soon()).value().number, 2);
}

TEST_F(Registers, OurCountDownOpensTheLatchForJava) {
  const auto latch = bind(Kind::latch);
  ASSERT_EQ(peer().ask("t", "set", "RCountDownLatch", number, 2).value, "true");
  peer().tell("waiter", "await", number, patience());
  ASSERT_TRUE(awaited(number));
  latch->add(-1, next_ticket(), soon()).value();
  const auto opened = steady_clock::now();
  latch->add(-1, next_ticket(), soon()).value();
  const Answer answer = peer().answer("waiter");
  ASSERT_EQ(answer.said, "ok") << answer.value;
  EXPECT_LT(answer.ended - opened, scaled(milliseconds(2000)));
  EXPECT_EQ(latch->load(soon()).value().version, 0U);
}

TEST_F(Registers, JavasCountDownWakesUs) {
  const auto latch = bind(Kind::latch);
  ASSERT_EQ(peer().ask("t", "set", "RCountDownLatch", number, 1).value, "true");
  const engine::Waker signal = client.session().signal();
  const auto watch = latch->watch(signal, soon()).value();
  const auto opened = steady_clock::now();
  peer().ask("t", "add", "RCountDownLatch", number, -1);
  signal->wait(soon());
  EXPECT_LT(steady_clock::now() - opened, scaled(milliseconds(2000)));
  EXPECT_EQ(latch->load(soon()).value().version, 0U);
}

}  // namespace
}  // namespace holdfast::test

// The line to the server is cut, stands still, or comes back late.

#include <gtest/gtest.h>

#include <atomic>

#include "faults/etcd/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdCuts : public OnEtcd {
 protected:
  // Ours is over the line, the other's is not.
  void lost_before_another_gets_in(void (*fault)(FaultProxy&)) {
    const auto ttl = scaled(2s);
    Mutex ours(open(ttl), "a");
    Mutex others(open_directly(), "a");
    const auto hold = ours.acquire().value();
    std::atomic<Clock::time_point> lost{Clock::time_point::max()};
    const std::stop_callback on_loss(hold.lost(), [&] { lost = Clock::now(); });
    auto entered = wait_for(others);
    ASSERT_TRUE(has_keys("a", 2));
    const auto start = Clock::now();
    fault(line_);
    const Entered next = entered.get();
    ASSERT_TRUE(next.token) << next.why_not;
    EXPECT_GT(next.token, hold.token());
    EXPECT_LE(lost.load(), next.at) << "two were in";
    EXPECT_LE(lost.load() - start, ttl + scaled(50ms));
    EXPECT_FALSE(hold.valid());
  }
};

TEST_F(EtcdCuts, AHoldOutlivesManyShortOnes) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  const std::string before = only_key("a").key;
  for (int i = 0; i < 8; ++i) {
    line_.cut_all();
    EXPECT_TRUE(throughout(ttl / 4, [&] { return hold.valid(); }));
  }
  EXPECT_EQ(only_key("a").key, before);
}

TEST_F(EtcdCuts, AHoldOutlivesALongerOne) {
  const auto ttl = scaled(3s);
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  const std::string before = only_key("a").key;
  line_.unreachable(true);
  EXPECT_TRUE(throughout(ttl / 3, [&] { return hold.valid(); }));
  line_.unreachable(false);
  EXPECT_TRUE(throughout(ttl, [&] { return hold.valid(); }));
  EXPECT_EQ(only_key("a").key, before);
}

TEST_F(EtcdCuts, LostBeforeAnotherGetsIn) {
  lost_before_another_gets_in([](FaultProxy& line) { line.unreachable(true); });
}

TEST_F(EtcdCuts, LostBeforeAnotherGetsInWhenTheLineStands) {
  lost_before_another_gets_in([](FaultProxy& line) { line.freeze(); });
}

TEST_F(EtcdCuts, AGrantThatComesTooLateIsNone) {
  const auto ttl = scaled(2s);
  Mutex ours(open(ttl), "a");
  ASSERT_TRUE(ours.try_lock());
  ours.unlock();
  ASSERT_TRUE(has_keys("a", 0));
  line_.freeze();
  auto entered = std::async(std::launch::async,
                            [&] { return ours.acquire({.wait = patience()}); });
  // As long as it stands, the lease is over at the server.
  EXPECT_TRUE(throughout(2 * ttl, [] { return true; }));
  Mutex others(open_directly(), "a");
  auto theirs = others.acquire({.wait = patience()});
  ASSERT_TRUE(theirs) << theirs.error().message();
  line_.thaw();
  EXPECT_EQ(entered.wait_for(scaled(500ms)), std::future_status::timeout)
      << "two are in";
  EXPECT_TRUE(theirs->release());
  const auto hold = entered.get();
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_TRUE(hold->valid());
  EXPECT_GT(hold->token(), theirs->token());
}

// As when the other side has lost its power: nothing comes back, and nothing is closed.
TEST_F(EtcdCuts, AConnectionThatStandsIsLeft) {
  Mutex mutex(open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  line_.freeze_present();
  const auto hold = mutex.acquire({.wait = patience()});
  EXPECT_TRUE(hold) << hold.error().message();
}

TEST_F(EtcdCuts, AHoldOutlivesAConnectionThatStands) {
  const auto ttl = scaled(9s);
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  line_.freeze_present();
  EXPECT_TRUE(throughout(ttl * 3 / 2, [&] { return hold.valid(); }));
}

TEST_F(EtcdCuts, AWaiterOutlivesAConnectionThatStands) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  line_.freeze_present();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdCuts, AnAttemptThatArrivesLateLeavesNothing) {
  Mutex mutex(open(), "a");
  Mutex others(open_directly(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  for (int i = 0; i < 5; ++i) {
    line_.freeze();
    EXPECT_FALSE(mutex.acquire({.wait = scaled(100ms)}));
    line_.thaw();
    EXPECT_TRUE(others.try_lock_for(scaled(5s))) << "the lease is 30 s";
    others.unlock();
  }
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdCuts, AnUnlockIsNotForgotten) {
  Mutex mutex(open(scaled(6s)), "a");
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    line_.unreachable(true);
    mutex.unlock();
    line_.unreachable(false);
    EXPECT_TRUE(eventually([&] { return keys("a").empty(); }, scaled(3s)));
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    line_.lose_requests(1);
    mutex.unlock();
    EXPECT_TRUE(eventually([&] { return keys("a").empty(); }, scaled(3s)));
    ASSERT_TRUE(mutex.try_lock_for(patience()));
    mutex.unlock();
    line_.cut_all();
    EXPECT_TRUE(eventually([&] { return keys("a").empty(); }, scaled(3s)));
  }
}

TEST_F(EtcdCuts, AnUnlockIsNotForgottenInALongOne) {
  Mutex mutex(open(scaled(6s)), "a");
  ASSERT_TRUE(mutex.try_lock());
  line_.unreachable(true);
  mutex.unlock();
  EXPECT_TRUE(throughout(scaled(1s), [] { return true; }));
  line_.unreachable(false);
  EXPECT_TRUE(eventually([&] { return keys("a").empty(); }, scaled(3s)));
}

TEST_F(EtcdCuts, AWakeUpThatNobodyHeardIsFoundOut) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  line_.unreachable(true);
  holder.unlock();
  ASSERT_TRUE(has_keys("a", 1));
  const auto back = Clock::now();
  line_.unreachable(false);
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_LT(in.at - back, scaled(5s)) << "the lease is 30 s";
}

}  // namespace
}  // namespace holdfast::test

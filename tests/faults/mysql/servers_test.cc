// A server that dies, stands still or takes no changes, under those who hold and wait.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "faults/mysql/ground.h"
#include "holdfast/counter.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MysqlRestart : public OnMysql {
 protected:
  Client open() const { return open_directly(ttl_); }
  void restart() {
    server_.kill();
    server_.start();
  }

  const std::chrono::milliseconds ttl_ = scaled(3s);
};

TEST_F(MysqlRestart, KeepsTheHold) {
  const Client client = open();
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  restart();
  EXPECT_TRUE(throughout(2 * ttl_, [&] { return hold.valid(); }));
  EXPECT_FALSE(Mutex(open(), "a").try_lock());
  EXPECT_TRUE(hold.release());
  EXPECT_GT(Mutex(client, "a").acquire().value().token(), hold.token());
}

// Every bell is free after it, and the row decides.
TEST_F(MysqlRestart, LetsNobodyInWhoWaits) {
  Mutex holder(open(), "a");
  Mutex waiter(open(), "a");
  auto hold = holder.acquire().value();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  restart();
  EXPECT_TRUE(throughout(2 * ttl_, [&] { return hold.valid(); }));
  EXPECT_TRUE(still_waits(entered));
  EXPECT_TRUE(hold.release());
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GT(in.token, hold.token());
}

TEST_F(MysqlRestart, ACalmOneToo) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  server_.stop();
  server_.start();
  EXPECT_FALSE(Mutex(open(), "a").try_lock()) << "the row outlived it";
}

TEST_F(MysqlRestart, KeepsNumbersAndTheirMarks) {
  Counter counter(open(), "n");
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(counter.add(1).value().after, i);
    restart();
  }
  EXPECT_EQ(column("value", "n"), "5");
}

TEST_F(MysqlRestart, ASaleGoesOn) {
  const Sale sale([this] { return open(); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(sale.goes_on()) << "restart " << i;
    restart();
  }
  EXPECT_TRUE(sale.goes_on());
}

using MysqlStandstill = MysqlRestart;

TEST_F(MysqlStandstill, ALongOneLosesTheHoldInTime) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> when{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { when = Clock::now(); });
  server_.pause();
  const auto stopped = Clock::now();
  EXPECT_TRUE(eventually([&] { return when.load() != Clock::time_point::max(); }));
  EXPECT_LE(when.load() - stopped, ttl_ + scaled(250ms));
  EXPECT_FALSE(hold.valid());
  server_.resume();
  const auto next = Mutex(open(), "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

TEST_F(MysqlStandstill, AShortOneLosesNothing) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  server_.pause();
  EXPECT_TRUE(throughout(ttl_ / 3, [&] { return hold.valid(); }));
  server_.resume();
  EXPECT_TRUE(throughout(2 * ttl_, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

TEST_F(MysqlStandstill, ACallEndsWhenItsTimeIsOver) {
  Mutex mutex(open(), "a");
  server_.pause();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  server_.resume();
  EXPECT_LT(Clock::now() - start, scaled(2s));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << refused.error().message();
}

class MysqlReadOnly : public MysqlRestart {
 protected:
  void read_only(bool on) {
    shell_.run(std::string("SET GLOBAL read_only = ") + (on ? "ON" : "OFF"));
  }
};

TEST_F(MysqlReadOnly, AShortOneLosesNothing) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  read_only(true);
  EXPECT_TRUE(throughout(ttl_ / 2, [&] { return hold.valid(); }));
  read_only(false);
  EXPECT_TRUE(throughout(2 * ttl_, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

TEST_F(MysqlReadOnly, ALongOneLosesTheHoldInTime) {
  Mutex mutex(open(), "a");
  const auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> when{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { when = Clock::now(); });
  read_only(true);
  const auto start = Clock::now();
  EXPECT_TRUE(eventually([&] { return when.load() != Clock::time_point::max(); }));
  EXPECT_LE(when.load() - start, ttl_ + scaled(250ms));
  read_only(false);
  EXPECT_TRUE(Mutex(open(), "a").acquire({.wait = patience()}));
}

TEST_F(MysqlReadOnly, IsToldInOneSentence) {
  Mutex mutex(open(), "a");
  read_only(true);
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable) << refused.error().message();
  EXPECT_THAT(refused.error().message(), HasSubstr("read-only"));
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  read_only(false);
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(MysqlReadOnly, AReleaseIsRepeated) {
  Mutex mutex(open(), "a");
  mutex.lock();
  read_only(true);
  mutex.unlock();
  read_only(false);
  EXPECT_TRUE(has_claims({engine::Kind::mutex, "a"}, 0));
}

}  // namespace
}  // namespace holdfast::test

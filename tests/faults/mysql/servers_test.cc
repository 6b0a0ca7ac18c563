// SPDX-License-Identifier: Apache-2.0

// The server dies, stands still or becomes read-only under holders and waiters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "faults/mysql/ground.h"
#include "faults/outages.h"
#include "holdfast/counter.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MysqlRestart : public OnMysql {
 protected:
  void restart() {
    server_.kill();
    server_.start();
  }

  const std::function<Client()> open_ = [this] { return open_directly(short_); };
  const Outage standstill_{open_, short_, [this] { server_.pause(); },
                           [this] { server_.resume(); }};
};

// After the restart every bell is free, and the rows decide.
TEST_F(MysqlRestart, GrantsNoWaiterTheLock) {
  Mutex holder(open_(), "a");
  Mutex waiter(open_(), "a");
  auto hold = holder.acquire().value();
  a_hold_outlives([this] { restart(); }, hold, waiter);
}

TEST_F(MysqlRestart, KeepsNumbersAndTheirMarks) {
  Counter counter(open_(), "n");
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(counter.add(1).value().after, i);
    restart();
  }
  EXPECT_EQ(column("value", "n"), "5");
}

using MysqlStandstill = MysqlRestart;

TEST_F(MysqlStandstill, ALongOneLosesTheHoldInTime) {
  a_long_outage_loses_the_hold_in_time(standstill_);
}
TEST_F(MysqlStandstill, AShortOneLosesNothing) {
  a_hold_outlives_a_short_outage(standstill_);
}
TEST_F(MysqlStandstill, ACallEndsWhenItsTimeIsOver) {
  a_call_ends_in_an_outage(standstill_);
}

class MysqlReadOnly : public OnMysql {
 protected:
  void read_only(bool on) {
    shell_.run(std::string("SET GLOBAL read_only = ") + (on ? "ON" : "OFF"));
  }

  const Outage outage_{[this] { return open_directly(short_); }, short_,
                       [this] { read_only(true); }, [this] { read_only(false); }};
};

TEST_F(MysqlReadOnly, AShortOneLosesNothing) {
  a_hold_outlives_a_short_outage(outage_);
}
TEST_F(MysqlReadOnly, ALongOneLosesTheHoldInTime) {
  a_long_outage_loses_the_hold_in_time(outage_);
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

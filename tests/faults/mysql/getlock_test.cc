// SPDX-License-Identifier: Apache-2.0

// ?mode=getlock works together with programs that use GET_LOCK alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/mysql/ground.h"
#include "holdfast/counter.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlGetLock : public OnMysql {
 protected:
  MysqlGetLock() {
    shell_.run("CREATE DATABASE bare; GRANT ALL ON bare.* TO holdfast");
  }

  Client open(Ms ttl = scaled(30s)) const {
    return open_quietly(server_.url("/bare?mode=getlock"), ttl);
  }
  bool peer_takes(const std::string& name) {
    return peer_.value("SELECT GET_LOCK('" + name + "', 0)") == "1";
  }
  void peer_releases(const std::string& name) {
    EXPECT_EQ(peer_.value("SELECT RELEASE_LOCK('" + name + "')"), "1");
  }

  MysqlShell peer_ = server_.shell();
};

TEST_F(MysqlGetLock, WeKeepAPeerOutAndLetItIn) {
  Mutex mutex(open(), "job");
  auto hold = mutex.acquire().value();
  EXPECT_FALSE(hold.token()) << "GET_LOCK has no tokens";
  EXPECT_FALSE(peer_takes("job"));
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(peer_takes("job"));
}

TEST_F(MysqlGetLock, APeerKeepsUsOutAndLetsUsIn) {
  ASSERT_TRUE(peer_takes("job"));
  Mutex mutex(open(), "job");
  EXPECT_FALSE(mutex.try_lock());
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_waiters(1));
  EXPECT_TRUE(still_waits(entered));
  const auto released = Clock::now();
  peer_releases("job");
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(1s)) << in.why_not;
}

TEST_F(MysqlGetLock, APeerThatIsGoneLetsUsIn) {
  ASSERT_TRUE(peer_takes("job"));
  Mutex mutex(open(), "job");
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_waiters(1));
  shell_.kill_connection(std::stoull(peer_.value("SELECT CONNECTION_ID()")));
  EXPECT_TRUE(entered.get().why_not.empty());
}

TEST_F(MysqlGetLock, ThreadsAndClientsExcludeEachOther) {
  const Sale sale([this] { return open(); });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(sale.goes_on());
}

TEST_F(MysqlGetLock, AKilledConnectionIsALoss) {
  Mutex mutex(open(short_), "job");
  auto hold = mutex.acquire().value();
  kill(sessions(false));
  EXPECT_TRUE(told_soon(hold));
  EXPECT_TRUE(peer_takes("job"));
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_FALSE(mutex.try_lock());
  peer_releases("job");
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(MysqlGetLock, ARestartIsALoss) {
  Mutex mutex(open(short_), "job");
  const auto hold = mutex.acquire().value();
  server_.kill();
  server_.start();
  EXPECT_TRUE(told_soon(hold));
  EXPECT_TRUE(mutex.try_lock_for(patience()));
}

TEST_F(MysqlGetLock, ALongHoldIsNotIdle) {
  const auto ttl = scaled(1s);
  Mutex mutex(open(ttl), "job");
  const auto hold = mutex.acquire().value();
  EXPECT_TRUE(throughout(5 * ttl, [&] { return hold.valid(); }));
  EXPECT_FALSE(peer_takes("job"));
}

TEST_F(MysqlGetLock, MakesNoTables) {
  ASSERT_TRUE(Mutex(open(), "job").try_lock());
  EXPECT_EQ(shell_.number("SELECT COUNT(*) FROM information_schema.tables WHERE "
                          "table_schema = 'bare'"),
            0);
}

TEST_F(MysqlGetLock, HasNothingButMutexes) {
  const auto refused = Semaphore(open(), "s", 2).acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsupported) << refused.error().message();
  const auto no_number = Counter(open(), "n").add(1);
  ASSERT_FALSE(no_number);
  EXPECT_EQ(no_number.error().code, Errc::unsupported) << no_number.error().message();
}

TEST_F(MysqlGetLock, ANameThatIsTooLongIsToldInOneSentence) {
  const auto refused =
      Mutex(open(), std::string(300, 'n')).acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_name) << refused.error().message();
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
}

}  // namespace
}  // namespace holdfast::test

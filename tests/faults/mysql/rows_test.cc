// SPDX-License-Identifier: Apache-2.0

// Other programs change the row of a mutex, or remove the tables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "faults/losses.h"
#include "faults/mysql/ground.h"
#include "holdfast/engine/session.h"
#include "holdfast/holder.h"
#include "holdfast/schema.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MysqlRows : public OnMysql {
 protected:
  void remove(const std::string& name) {
    shell_.run("DELETE FROM locks.holdfast_resource WHERE name = '" + name + "'");
  }
};

// A program has locked one of the rows. The other holds are renewed.
TEST_F(MysqlRows, ALockedOneCostsNoOtherHold) {
  const auto ttl = scaled(4s);
  const Client client = open(ttl);
  const Client other = open_directly();
  auto holds = lock_apart(client, other, {"locked", "b", "c", "d"});
  MysqlShell stranger = server_.shell();
  stranger.run(
      "BEGIN; SELECT * FROM locks.holdfast_resource WHERE name = 'locked' FOR UPDATE");
  EXPECT_TRUE(throughout(2 * ttl, [&] {
    return holds[1].valid() && holds[2].valid() && holds[3].valid();
  }));
  EXPECT_FALSE(holds[0].valid()) << "it could not be renewed";
  stranger.run("ROLLBACK");
}

// New rows begin with a token of the server's clock.
TEST_F(MysqlRows, ADeletedOneIsLostAndMadeAgain) {
  the_hold_is_lost_and_the_client_goes_on(bad_line_, [this] { remove("a"); });
}

TEST_F(MysqlRows, ADeletedOneLetsTheNextIn) {
  Mutex holder(open(short_), "a");
  const auto hold = holder.acquire().value();
  Mutex waiter(open_directly(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  remove("a");
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GT(in.token, hold.token());
  EXPECT_TRUE(told_soon(hold));
}

TEST_F(MysqlRows, AnotherOwnerIsALoss) {
  Mutex mutex(open(short_), "a");
  auto hold = mutex.acquire().value();
  set("owner = 'another', token = ++fence", "a");
  EXPECT_TRUE(told_soon(hold));
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_EQ(column("owner", "a"), "another") << "a client released the lock of another";
}

TEST_F(MysqlRows, AnOwnerThatWasTakenAwayIsALoss) {
  Mutex mutex(open(short_), "a");
  const auto hold = mutex.acquire().value();
  set("owner = ''", "a");
  EXPECT_TRUE(told_soon(hold));
}

TEST_F(MysqlRows, AnOwnerWithALongLeaseIsWaitedFor) {
  Mutex mutex(open(), "a");
  mutex.lock();
  mutex.unlock();
  set("owner = 'another', expires_at = '9999-12-31 23:59:59'", "a");
  EXPECT_FALSE(mutex.try_lock());
  auto entered = wait_for(mutex);
  EXPECT_TRUE(still_waits(entered));
  set("expires_at = '2000-01-01'", "a");
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(MysqlRows, TimesThatNeverWereAreOver) {
  Mutex mutex(open(), "a");
  mutex.lock();
  mutex.unlock();
  shell_.run("SET sql_mode = ''");
  set("owner = 'another', since = 0, expires_at = 0", "a");
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(MysqlRows, AnEpochThatAnotherProgramChangedLosesNothing) {
  Mutex mutex(open(short_), "a");
  for (int i = 0; i < 3; ++i) {
    auto hold = mutex.acquire({.wait = Timeout::zero()});
    ASSERT_TRUE(hold) << hold.error().message();
    set("epoch = epoch + 7", "a");
    EXPECT_TRUE(throughout(short_ / 2, [&] { return hold->valid(); }));
    EXPECT_TRUE(hold->release());
  }
}

TEST_F(MysqlRows, GarbageAboutTheHolderDisturbsNoClient) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  set("holder = X'FF00FE', host = REPEAT('h', 255), thread = X'80', function = X'00', "
      "description = '\\n', since = '9999-12-31'",
      "a");
  const Client observer = open_directly();
  const auto seen = observer.session()
                        .bind({engine::Kind::mutex, "a"})
                        .value()
                        ->survey(10, Clock::now() + patience());
  ASSERT_TRUE(seen) << seen.error().message();
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ(read_holder(seen->front().payload).text, std::string("\xff\0\xfe", 3));
  EXPECT_TRUE(hold.release());
}

TEST_F(MysqlRows, AFenceThatWentBackIsMadeUpForByTheClock) {
  Mutex mutex(open(), "a");
  const FencingToken before = mutex.acquire().value().token();
  set("fence = 0", "a");
  const auto hold = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_GT(hold->token(), before);
}

TEST_F(MysqlRows, AFenceAtItsEndIsAnErrorAndNotAGrant) {
  Mutex mutex(open(), "a");
  mutex.lock();
  mutex.unlock();
  set("fence = 18446744073709551615", "a");
  const auto refused = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out);
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
}

TEST_F(MysqlRows, AnotherKindUnderUsIsALoss) {
  Mutex mutex(open(short_), "a");
  const auto hold = mutex.acquire().value();
  set("kind = 'counter', value = 5, expires_at = '2000-01-01'", "a");
  EXPECT_TRUE(told_soon(hold));
  const auto refused = Mutex(open(), "a").acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
}

using MysqlTables = MysqlRows;

TEST_F(MysqlTables, ThatWereEmptiedAreALoss) {
  the_hold_is_lost_and_the_client_goes_on(
      bad_line_, [this] { shell_.run("TRUNCATE locks.holdfast_resource"); });
}

TEST_F(MysqlTables, ThatWereDroppedAreToldInOneSentence) {
  const Client client = open();
  ASSERT_TRUE(Mutex(client, "a").try_lock());
  shell_.run("DROP TABLE locks.holdfast_resource");
  const auto refused = Mutex(client, "b").acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::incompatible) << refused.error().message();
  EXPECT_THAT(refused.error().message(), HasSubstr("holdfast schema mysql"));
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  shell_.run("USE locks; " + std::string(holdfast::schema("mysql").value()));
  EXPECT_TRUE(Mutex(client, "b").try_lock());
}

TEST_F(MysqlTables, OfAnotherVersionAreToldInOneSentence) {
  shell_.run("ALTER TABLE locks.holdfast_resource DROP COLUMN since");
  const Failure failure = first_failure(server_.url("/locks"));
  EXPECT_EQ(failure.code, Errc::incompatible) << failure.message();
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
}

}  // namespace
}  // namespace holdfast::test

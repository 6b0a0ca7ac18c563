// SPDX-License-Identifier: Apache-2.0

// Users, passwords, rights or tables are missing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "faults/mysql/ground.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/latch.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MysqlRights : public OnMysql {
 protected:
  std::string url(const std::string& user, const std::string& rest) const {
    return "mysql://" + user + "@127.0.0.1:" + std::to_string(server_.port()) + rest;
  }

  static Failure refusal(const std::string& url) {
    const Failure failure = first_failure(url);
    EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
    EXPECT_THAT(failure.message(), Not(HasSubstr("c4n4ry")));
    EXPECT_THAT(failure.message(), Not(HasSubstr("wr0ng")));
    return failure;
  }

  static void everything_works(const std::string& url) {
    const Client client = open_quietly(url);
    EXPECT_TRUE(Mutex(client, "mutex").acquire());
    EXPECT_TRUE(FairMutex(client, "fair").acquire());
    EXPECT_TRUE(SharedMutex(client, "shared").acquire_shared());
    EXPECT_TRUE(Semaphore(client, "semaphore", 2).acquire());
    EXPECT_TRUE(Election(client, "election").campaign("ann"));
    EXPECT_TRUE(DoubleBarrier(client, "parties", 1).enter());
    EXPECT_TRUE(Counter(client, "counter").add(1));
    EXPECT_TRUE(Latch(client, "latch").set_count(1).value());
  }
};

TEST_F(MysqlRights, TheFewestAreEnough) { everything_works(server_.url("/locks")); }

TEST_F(MysqlRights, TheFewestAreEnoughToWait) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open_directly(), "a");
  expect_wake_up(holder, waiter, [this] { EXPECT_TRUE(has_waiters(1)); });
}

TEST_F(MysqlRights, AUserThatMayCreateTablesDoes) {
  shell_.run(
      "CREATE DATABASE fresh; GRANT CREATE, SELECT, INSERT, UPDATE, DELETE ON "
      "fresh.* TO holdfast");
  everything_works(server_.url("/fresh"));
  EXPECT_EQ(shell_.number("SELECT COUNT(*) FROM information_schema.tables WHERE "
                          "table_schema = 'fresh' AND engine = 'InnoDB'"),
            3);
}

TEST_F(MysqlRights, SeveralMayCreateThemAtOnce) {
  shell_.run("CREATE DATABASE fresh; GRANT ALL ON fresh.* TO holdfast");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back(
        [&] { EXPECT_TRUE(Counter(open_quietly(server_.url("/fresh")), "n").add(1)); });
  }
  threads.clear();
  EXPECT_EQ(Counter(open_quietly(server_.url("/fresh")), "n").get().value(), 6);
}

TEST_F(MysqlRights, AUserThatMayNotIsToldWhatCreatesThem) {
  shell_.run(
      "CREATE DATABASE fresh; GRANT SELECT, INSERT, UPDATE, DELETE ON fresh.* TO "
      "holdfast");
  const Failure failure = refusal(server_.url("/fresh"));
  EXPECT_EQ(failure.code, Errc::incompatible) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("holdfast schema mysql"));
}

TEST_F(MysqlRights, TablesThatMayNotBeReadAreDenied) {
  shell_.run(
      "CREATE USER guest IDENTIFIED BY 'c4n4ry'; GRANT SELECT ON "
      "locks.holdfast_claim TO guest");
  EXPECT_EQ(refusal(url("guest:c4n4ry", "/locks")).code, Errc::denied);
}

TEST_F(MysqlRights, TablesThatMayNotBeChangedAreDenied) {
  shell_.run(
      "CREATE USER guest IDENTIFIED BY 'c4n4ry'; GRANT SELECT ON locks.* TO "
      "guest");
  EXPECT_EQ(refusal(url("guest:c4n4ry", "/locks")).code, Errc::denied);
}

TEST_F(MysqlRights, ATakenRightIsMissed) {
  const Client client = open_directly();
  ASSERT_TRUE(Counter(client, "n").add(1));
  shell_.run("REVOKE UPDATE ON locks.holdfast_resource FROM holdfast");
  const auto refused = Counter(client, "n").add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied) << refused.error().message();
}

TEST_F(MysqlRights, AWrongPasswordIsDenied) {
  EXPECT_EQ(refusal(url("holdfast:wr0ng", "/locks")).code, Errc::denied);
}

TEST_F(MysqlRights, NoPasswordIsDenied) {
  EXPECT_EQ(refusal(url("holdfast", "/locks")).code, Errc::denied);
}

TEST_F(MysqlRights, AnExpiredPasswordIsDenied) {
  shell_.run("ALTER USER holdfast PASSWORD EXPIRE");
  for (const std::string at_once : {"ON", "OFF"}) {
    shell_.run("SET GLOBAL disconnect_on_expired_password = " + at_once);
    EXPECT_EQ(refusal(server_.url("/locks")).code, Errc::denied) << at_once;
  }
}

TEST_F(MysqlRights, ALockedAccountIsDenied) {
  shell_.run("ALTER USER holdfast ACCOUNT LOCK");
  EXPECT_EQ(refusal(server_.url("/locks")).code, Errc::denied);
}

TEST_F(MysqlRights, AUserWithTooManyWrongPasswordsIsDenied) {
  shell_.run("SET GLOBAL max_password_errors = 1");
  EXPECT_EQ(refusal(url("holdfast:wr0ng", "/locks")).code, Errc::denied);
  const Failure blocked = refusal(server_.url("/locks"));
  EXPECT_EQ(blocked.code, Errc::denied) << blocked.message();
  EXPECT_THAT(blocked.message(), HasSubstr("blocked"));
}

TEST_F(MysqlRights, AnUnknownUserIsDenied) {
  EXPECT_EQ(refusal(url("bob:c4n4ry", "/locks")).code, Errc::denied);
}

TEST_F(MysqlRights, AnUnknownDatabaseIsToldByName) {
  shell_.run("GRANT ALL ON *.* TO holdfast");
  const Failure failure = refusal(server_.url("/no_such"));
  EXPECT_THAT(failure.message(), HasSubstr("no_such"));
}

TEST_F(MysqlRights, ADatabaseOfOthersIsDenied) {
  shell_.run("CREATE DATABASE theirs");
  EXPECT_EQ(refusal(server_.url("/theirs")).code, Errc::denied);
}

TEST_F(MysqlRights, APasswordThatWasChangedIsMissed) {
  const Client client = open_directly();
  ASSERT_TRUE(Mutex(client, "a").try_lock());
  shell_.run("ALTER USER holdfast IDENTIFIED BY 'another'");
  kill(sessions(false));
  const auto refused = Counter(client, "n").add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied) << refused.error().message();
}

TEST_F(MysqlRights, APasswordMayBeInAFile) {
  const TempDir dir;
  std::ofstream(dir.file("password")) << "c4n4ry\n";
  const Client client =
      open_quietly(url("holdfast", "/locks?password_file=" + dir.file("password")));
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

TEST_F(MysqlRights, TheSocketIsAWayIn) {
  const std::string url =
      "mysql://holdfast:c4n4ry@/locks?socket=" + server_.file("socket");
  Mutex mutex(open_quietly(url), "a");
  Mutex other(open_directly(), "a");
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_FALSE(other.try_lock());
}

TEST_F(MysqlRights, ASocketThatIsNotThereIsToldByName) {
  const Failure failure = refusal("mysql://holdfast:c4n4ry@/locks?socket=/no/such");
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("/no/such"));
}

// The client uses the first host that accepts it.
TEST_F(MysqlRights, AHostThatIsDownIsLeftOut) {
  const std::string hosts =
      "127.0.0.1:1,127.0.0.1:" + std::to_string(server_.port()) + "/locks";
  const Client client = open_quietly("mysql://holdfast:c4n4ry@" + hosts);
  EXPECT_TRUE(Mutex(client, "a").try_lock());
}

}  // namespace
}  // namespace holdfast::test

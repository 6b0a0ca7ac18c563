// SPDX-License-Identifier: Apache-2.0

// Servers have unusual settings.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/mysql/ground.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

struct Setting {
  const char* name;
  std::vector<std::string> arguments;
};

class MysqlSettings : public OnMysql, public testing::WithParamInterface<Setting> {
 protected:
  MysqlSettings() : OnMysql(GetParam().arguments) {}
};

// clang-format off
INSTANTIATE_TEST_SUITE_P(, MysqlSettings, testing::Values(
    Setting{"Statements", {"--log-bin", "--binlog-format=STATEMENT"}},
    Setting{"Mixed", {"--log-bin", "--binlog-format=MIXED"}},
    Setting{"RowImages", {"--log-bin", "--binlog-format=ROW", "--sync-binlog=0"}},
    Setting{"ReadCommitted", {"--transaction-isolation=READ-COMMITTED"}},
    Setting{"Serializable", {"--transaction-isolation=SERIALIZABLE"}},
    Setting{"NoAutocommit", {"--autocommit=OFF"}},
    Setting{"Ansi", {"--sql-mode=ANSI,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH"}},
    Setting{"Oracle", {"--sql-mode=ORACLE"}},
    Setting{"Latin1", {"--character-set-server=latin1", "--collation-server=latin1_bin"}},
    Setting{"Ucs2", {"--character-set-server=ucs2", "--collation-server=ucs2_general_ci"}},
    Setting{"LowerCase", {"--lower-case-table-names=1"}},
    Setting{"Aria", {"--default-storage-engine=Aria"}},
    Setting{"OldAutoIncrement", {"--innodb-autoinc-lock-mode=0"}},
    Setting{"ManyPrimaries", {"--auto-increment-increment=2", "--auto-increment-offset=2"}},
    Setting{"ThreadPool", {"--thread-handling=pool-of-threads"}},
    Setting{"ShortWaits", {"--innodb-lock-wait-timeout=1", "--lock-wait-timeout=1",
                           "--wait-timeout=1", "--interactive-timeout=1"}},
    Setting{"ImpatientStatements", {"--max-statement-time=1"}}),
    [](const auto& test) { return std::string(test.param.name); });
// clang-format on

TEST_P(MysqlSettings, ChangeNothing) {
  const Client client = open_directly(short_);
  const Client other = open_directly(short_);
  Mutex holder(client, "ä");
  auto hold = holder.acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(hold) << hold.error().message();
  Mutex waiter(other, "ä");
  auto entered = wait_for(waiter);
  EXPECT_TRUE(throughout(scaled(1500ms), [&] { return still_waits(entered); }));
  EXPECT_TRUE(hold->valid());
  const auto released = Clock::now();
  EXPECT_TRUE(hold->release());
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GT(in.token, hold->token());
  EXPECT_LT(in.at - released, scaled(1s));

  FairMutex fair(client, "fair");
  EXPECT_TRUE(fair.try_lock());
  EXPECT_FALSE(FairMutex(other, "fair").try_lock());
  SharedMutex shared(client, "shared");
  EXPECT_TRUE(shared.try_lock_shared());
  EXPECT_FALSE(SharedMutex(other, "shared").try_lock());
  const auto permits = Semaphore(client, "semaphore", 2).acquire_many(2);
  ASSERT_TRUE(permits) << permits.error().message();
  EXPECT_FALSE(Semaphore(other, "semaphore", 2).acquire({.wait = Timeout::zero()}));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(Counter(i % 2 == 0 ? client : other, "n").add(1).value().after, i);
  }
  EXPECT_TRUE(DoubleBarrier(client, "parties", 1).enter({.wait = patience()}));
}

using MysqlLimits = OnMysql;

TEST_F(MysqlLimits, OfAUsersConnectionsAreLivedWith) {
  shell_.run("ALTER USER holdfast WITH MAX_USER_CONNECTIONS 4");
  const Client ours = open_directly();
  const Client theirs = open_directly();
  Mutex holder(theirs, "a");
  Mutex waiter(ours, "a");
  holder.lock();
  auto entered = wait_for(waiter);
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(MysqlLimits, OfPreparedStatementsAreToldInOneSentence) {
  shell_.run("SET GLOBAL max_prepared_stmt_count = 0");
  const Failure failure = first_failure(server_.url("/locks"));
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  shell_.run("SET GLOBAL max_prepared_stmt_count = 1000");
  EXPECT_TRUE(Mutex(open_directly(), "a").try_lock());
}

}  // namespace
}  // namespace holdfast::test

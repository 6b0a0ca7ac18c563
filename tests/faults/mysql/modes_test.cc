// SPDX-License-Identifier: Apache-2.0

// Where GET_LOCK cannot be used, the rows are enough.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/mysql/go_between.h"
#include "faults/mysql/ground.h"
#include "faults/storm.h"
#include "holdfast/engine/session.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MysqlModes : public OnMysql {
 protected:
  using OnMysql::OnMysql;

  // Locks exclude each other and are waited for, and no session is in GET_LOCK.
  void does_without(const std::string& url) {
    const Client client = open_quietly(url);
    EXPECT_THAT(client.session().warnings(), ElementsAre(HasSubstr("GET_LOCK")));
    EXPECT_FALSE(client.session().traits(engine::Kind::mutex).notifies);
    Mutex holder(open_quietly(url), "a");
    Mutex waiter(client, "a");
    expect_wake_up(holder, waiter, [this] { EXPECT_TRUE(has_waiters(0)); });
    EXPECT_EQ(first_failure(url + "?mode=getlock").code, Errc::unsupported);
  }
};

TEST_F(MysqlModes, AServerThatIsAskedDirectlyHasBells) {
  const Client client = open_directly();
  EXPECT_TRUE(client.session().warnings().empty());
  EXPECT_TRUE(client.session().traits(engine::Kind::mutex).notifies);
}

TEST_F(MysqlModes, AConnectionThatIsNotTheServersDoesWithout) {
  const GoBetween proxy(server_.port(), {.renumbers = true, .refuses = {}});
  does_without(server_.url("/locks", proxy.port()));
}

TEST_F(MysqlModes, AServerThatRefusesGetLockDoesWithout) {
  const GoBetween proxy(server_.port(), {.renumbers = false, .refuses = "_LOCK("});
  does_without(server_.url("/locks", proxy.port()));
}

class MysqlCluster : public MysqlModes {
 protected:
  MysqlCluster() : MysqlModes({"--wsrep-on=ON", "--binlog-format=ROW"}) {}
};

TEST_F(MysqlCluster, DoesWithout) { does_without(server_.url("/locks")); }

// Clients that use bells and clients that do not exclude each other.
TEST_F(MysqlModes, OneSaleForBoth) {
  bool rings = false;
  const Sale sale([&] {
    return open_quietly(server_.url((rings = !rings) ? "/locks" : "/locks?mode=rows"));
  });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(sale.goes_on());
}

TEST_F(MysqlModes, ASilentHolderIsWaitedForByAWaiterWithABell) {
  Mutex holder(open_quietly(server_.url("/locks?mode=rows")), "a");
  Mutex waiter(open_directly(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  EXPECT_TRUE(throughout(scaled(1s), [&] { return still_waits(entered); }));
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(3s)) << in.why_not;
}

class MysqlWithoutBells : public OnMysql {
 protected:
  const BadLine rows_{
      line_,
      [this](Ms ttl) {
        return open_quietly(server_.url("/locks?mode=rows", line_.port()), ttl);
      },
      [this](Ms ttl) { return open_quietly(server_.url("/locks?mode=rows"), ttl); },
      bad_line_.has_claims};
};

TEST_F(MysqlWithoutBells, AMutexHasOneHolderInAStorm) {
  a_mutex_has_one_holder(rows_);
  EXPECT_TRUE(has_claims({engine::Kind::mutex, "a"}, 0));
}

TEST_F(MysqlWithoutBells, AWriterIsAloneInAStorm) {
  a_writer_is_alone(rows_);
  EXPECT_TRUE(has_claims({engine::Kind::shared_mutex, "a"}, 0));
}

}  // namespace
}  // namespace holdfast::test

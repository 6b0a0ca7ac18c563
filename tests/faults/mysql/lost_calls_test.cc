// SPDX-License-Identifier: Apache-2.0

#include "faults/lost_calls.h"

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlLostCalls : public OnMysql {
 protected:
  void TearDown() override {
    const auto rows = [&] {
      return shell_.number("SELECT COUNT(*) FROM locks.holdfast_claim");
    };
    EXPECT_TRUE(eventually([&] { return rows() == 0; })) << rows() << " rows are left";
  }

  const LostCalls calls_{bad_line_, [this] { return line_.passed()["execute"]; },
                         [this](const std::string& name, const Hold& hold) {
                           EXPECT_EQ(column("token", name),
                                     std::to_string(hold.token().value));
                         }};
};

TEST_F(MysqlLostCalls, ALockAndAnUnlock) { a_lock_and_an_unlock(calls_); }
TEST_F(MysqlLostCalls, AReleaseIsToldTruly) { a_release_is_told_truly(calls_); }
TEST_F(MysqlLostCalls, AWait) { a_wait(calls_); }
TEST_F(MysqlLostCalls, AWaitThatIsGivenUp) { a_wait_that_is_given_up(calls_); }
TEST_F(MysqlLostCalls, ALook) { a_look(calls_); }
TEST_F(MysqlLostCalls, ReadersAndADowngrade) { readers_and_a_downgrade(calls_); }
TEST_F(MysqlLostCalls, Permits) { permits(calls_); }
TEST_F(MysqlLostCalls, Parties) { parties(calls_); }
TEST_F(MysqlLostCalls, AChangeIsMadeOnce) { a_change_is_made_once(calls_); }
TEST_F(MysqlLostCalls, AVersionedChange) { a_versioned_change_is_made_once(calls_); }

TEST_F(MysqlLostCalls, Renewals) {
  const auto ttl = scaled(2s);
  const Client client = open(ttl);
  for (const bool reply : {false, true}) {
    Mutex mutex(client, "a");
    const auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    reply ? line_.lose_replies(2) : line_.lose_requests(2);
    EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); }));
    line_.lose_replies(0);
  }
}

}  // namespace
}  // namespace holdfast::test

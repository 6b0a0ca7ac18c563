// SPDX-License-Identifier: Apache-2.0

// The server has a time zone of its own.

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlZones : public OnMysql {
 protected:
  MysqlZones() : OnMysql({"--default-time-zone=+12:45"}) {}

  void move_to(const std::string& zone) {
    shell_.run("SET GLOBAL time_zone = '" + zone + "'");
    kill(sessions(true));
    kill(sessions(false));
  }
};

TEST_F(MysqlZones, MeanNothingToALease) {
  const Client client = open_directly(short_);
  for (const std::string zone : {"+00:00", "-12:59", "+13:00"}) {
    move_to(zone);
    Mutex mutex(client, zone);
    const auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    const long left =
        std::stol(column("TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), expires_at)", zone));
    EXPECT_GE(left, 0);
    EXPECT_LE(left, short_ / 1s);
    EXPECT_FALSE(Mutex(open_directly(), zone).try_lock());
  }
}

TEST_F(MysqlZones, AHoldOutlivesAnother) {
  Mutex mutex(open_directly(short_), "a");
  const auto hold = mutex.acquire().value();
  for (const std::string zone : {"-12:59", "+13:00"}) {
    move_to(zone);
    EXPECT_TRUE(throughout(short_, [&] { return hold.valid(); }));
    EXPECT_FALSE(Mutex(open_directly(), "a").try_lock());
  }
}

TEST_F(MysqlZones, TokensOfTwoServersAreOfOneTime) {
  MysqlServer there({"--default-time-zone=-11:00"});
  there.make_database("locks");
  Mutex ours(open_directly(), "a");
  Mutex theirs(open_quietly(there.url("/locks")), "a");
  const auto one = ours.acquire().value();
  const auto other = theirs.acquire().value();
  const auto apart = std::chrono::microseconds(
      static_cast<std::int64_t>(one.token().value - other.token().value));
  EXPECT_LT(std::chrono::abs(apart), 1h) << "both times are UTC";
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Names may be longer than those of GET_LOCK, and may differ in ways that GET_LOCK
// ignores.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "faults/mysql/ground.h"

namespace holdfast::test {
namespace {

using MysqlNames = OnMysql;

TEST_F(MysqlNames, OfEverySortAreApart) {
  const std::string same(64, 'x');
  const std::vector<std::string> names{"a",
                                       "A",
                                       "a ",
                                       " a",
                                       "a/",
                                       "a/b",
                                       "%",
                                       "_",
                                       "'",
                                       "\"",
                                       "\\",
                                       "a'b",
                                       "`a`",
                                       "; DROP TABLE holdfast_resource",
                                       "?",
                                       "é",
                                       "e",
                                       "É",
                                       "日本",
                                       "\xf0\x9f\x94\x92",
                                       same,
                                       same + "1",
                                       same + "2",
                                       std::string(192, 'x'),
                                       std::string(511, 'x') + "1",
                                       std::string(511, 'x') + "2"};
  auto holds = lock_apart(open(), open_directly(), names);
  EXPECT_EQ(shell_.number("SELECT COUNT(*) FROM locks.holdfast_resource"),
            static_cast<long>(names.size()));
  for (Hold& each : holds) EXPECT_TRUE(each.release());
}

TEST_F(MysqlNames, ALongOneIsWaitedForByItsBell) {
  const std::string name(512, 'n');
  Mutex holder(open_directly(), name);
  Mutex waiter(open(), name);
  expect_wake_up(holder, waiter, [this] { EXPECT_TRUE(has_waiters(1)); });
}

TEST_F(MysqlNames, DatabasesAreApart) {
  server_.make_database("other");
  Mutex here(open_directly(), "a");
  Mutex there(open_quietly(server_.url("/other")), "a");
  here.lock();
  EXPECT_TRUE(there.try_lock()) << "bells belong to the server, locks to the database";
}

// A name begins as the name of a bell does.
TEST_F(MysqlNames, ABellOfAnotherProgramBlocksNoClient) {
  Mutex mutex(open(), "a");
  mutex.lock();
  mutex.unlock();
  MysqlShell stranger = server_.shell();
  for (const std::string bell : {"a", "holdfast", "holdfast:a"}) {
    ASSERT_EQ(stranger.value("SELECT GET_LOCK('" + bell + "', 0)"), "1");
  }
  EXPECT_TRUE(mutex.try_lock());
}

}  // namespace
}  // namespace holdfast::test

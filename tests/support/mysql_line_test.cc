// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <mysql.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/fault_proxy.h"
#include "support/mysql_server.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// This is one connection with a prepared statement, as the engine has them.
class MysqlCaller {
 public:
  MysqlCaller(const FaultProxy& line, std::chrono::seconds limit)
      : mysql_(mysql_init(nullptr), mysql_close), add_(nullptr, mysql_stmt_close) {
    const auto seconds = static_cast<unsigned>(limit.count());
    mysql_options(mysql_.get(), MYSQL_OPT_READ_TIMEOUT, &seconds);
    mysql_options(mysql_.get(), MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_options(mysql_.get(), MYSQL_INIT_COMMAND, "SET time_zone = '+00:00'");
    connected_ = mysql_real_connect(mysql_.get(), "127.0.0.1", "holdfast", "c4n4ry",
                                    "d", line.port(), nullptr, 0) != nullptr;
    if (!connected_) return;
    add_.reset(mysql_stmt_init(mysql_.get()));
    const std::string text = "UPDATE t SET n = n + 1";
    mysql_stmt_prepare(add_.get(), text.data(), text.size());
  }

  bool connected() const { return connected_; }
  bool ping() { return mysql_ping(mysql_.get()) == 0; }
  bool add() { return mysql_stmt_execute(add_.get()) == 0; }
  bool query(const char* text) { return mysql_query(mysql_.get(), text) == 0; }
  std::size_t letters() {
    if (!query("SELECT REPEAT('x', 3000000)")) return 0;
    MYSQL_RES* const result = mysql_store_result(mysql_.get());
    const MYSQL_ROW row = mysql_fetch_row(result);
    const std::size_t size = row[0] == nullptr ? 0 : std::string(row[0]).size();
    mysql_free_result(result);
    return size;
  }

 private:
  std::unique_ptr<MYSQL, decltype(&mysql_close)> mysql_;
  std::unique_ptr<MYSQL_STMT, decltype(&mysql_stmt_close)> add_;
  bool connected_ = false;
};

class MysqlLine : public testing::Test {
 protected:
  MysqlLine() {
    shell_.run(
        "CREATE DATABASE d; CREATE TABLE d.t (n INT) ENGINE=InnoDB; "
        "INSERT INTO d.t VALUES (0); GRANT ALL ON d.* TO holdfast");
  }
  MysqlCaller call(std::chrono::seconds limit = 20s) {
    return MysqlCaller(line_, limit);
  }
  long number() { return shell_.number("SELECT n FROM d.t"); }

  const MysqlServer server_;
  MysqlShell shell_ = server_.shell();
  FaultProxy line_{server_.port(), Protocol::mysql};
};

TEST_F(MysqlLine, PassesAndCounts) {
  MysqlCaller caller = call();
  ASSERT_TRUE(caller.add());
  ASSERT_TRUE(caller.ping());
  ASSERT_TRUE(caller.add());
  EXPECT_EQ(caller.letters(), 3'000'000u);
  auto passed = line_.passed();
  EXPECT_EQ(passed["sign_on"], 1);
  EXPECT_EQ(passed["prepare"], 1);
  EXPECT_EQ(passed["execute"], 2);
  EXPECT_EQ(passed["ping"], 1);
  EXPECT_EQ(passed["query"], 2);
}

TEST_F(MysqlLine, LosesRequests) {
  MysqlCaller caller = call();
  line_.lose_requests(1, 1);
  EXPECT_TRUE(caller.add());
  EXPECT_TRUE(caller.ping());
  EXPECT_FALSE(caller.add());
  EXPECT_EQ(number(), 1);
  EXPECT_TRUE(call().add());
}

TEST_F(MysqlLine, LosesReplies) {
  MysqlCaller caller = call();
  line_.lose_replies(1, 1);
  EXPECT_TRUE(caller.add());
  EXPECT_TRUE(caller.ping());
  EXPECT_FALSE(caller.add());
  EXPECT_EQ(number(), 2);
  EXPECT_TRUE(call().add());
}

TEST_F(MysqlLine, LosesCallsAlone) {
  line_.lose_requests(1);
  MysqlCaller caller = call();
  ASSERT_TRUE(caller.connected());
  EXPECT_TRUE(caller.ping());
  EXPECT_TRUE(caller.query("SET @a = 1"));
  EXPECT_FALSE(caller.add());
}

TEST_F(MysqlLine, FreezesAndThaws) {
  MysqlCaller old = call(1s);
  line_.freeze_present();
  EXPECT_FALSE(old.add());
  EXPECT_TRUE(call().add());
  line_.freeze();
  EXPECT_FALSE(call(1s).connected());
  line_.thaw();
  EXPECT_TRUE(call().add());
}

TEST_F(MysqlLine, IsCut) {
  MysqlCaller caller = call();
  line_.unreachable(true);
  EXPECT_FALSE(caller.add());
  EXPECT_FALSE(call().connected());
  line_.unreachable(false);
  EXPECT_TRUE(call().add());
  EXPECT_EQ(number(), 1);
}

}  // namespace
}  // namespace holdfast::test

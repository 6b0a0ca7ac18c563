// SPDX-License-Identifier: Apache-2.0

// The user's own statements check the token: holdfast/sql_fence.h on MariaDB.

#include <gmock/gmock.h>

#include <optional>

#include "cli/mysql_cli.h"
#include "holdfast/sql_fence.h"

namespace holdfast::test {
namespace {

const std::string kId = "1001";

// A shop with its stock in the database that also has the locks.
class MysqlFence : public MysqlCli {
 protected:
  MysqlFence() {
    shell_.run(
        "CREATE TABLE stock (id INT PRIMARY KEY, count INT NOT NULL, last_fence BIGINT "
        "UNSIGNED NOT NULL DEFAULT 0); INSERT INTO stock VALUES (1001, 100, 0)");
  }

  // Evicts the holder, starts another one and returns its token.
  std::string next_token() {
    (void)holdfast_({"unlock", "--force", "stock/1001"});
    return holdfast_.start({"run", "stock/1001", "--", "sh", "-c", kUntilTold})
        .read_line()
        .value_or("none");
  }

  // Returns how many rows the statement changed.
  long execute(const std::string& sql, const std::vector<std::string>& values) {
    std::string script = "PREPARE s FROM '" + sql + "';";
    std::string names;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string name = "@v" + std::to_string(i);
      script += "SET " + name + " = " + values[i] + ";";
      names += (i == 0 ? "" : ", ") + name;
    }
    shell_.run(script + "EXECUTE s USING " + names + "; SET @changed = ROW_COUNT()");
    return shell_.number("SELECT @changed");
  }
  long sell(const std::string& token, const std::string& id = kId) {
    return execute("UPDATE stock SET count = count - 1, " + fence_.assignment() +
                       " WHERE id = ? AND " + fence_.condition(),
                   {token, id, token});
  }
  Result<void> judge(const std::string& token, const std::string& id = kId) {
    std::string question = fence_.question();
    question.replace(question.find('?'), 1, id);
    const std::string last = shell_.value(question);
    return SqlFence::explain_no_match(
        {std::stoull(token)},
        last.empty() ? std::nullopt : std::optional(FencingToken{std::stoull(last)}));
  }
  long left() { return shell_.number("SELECT count FROM stock"); }

  const SqlFence fence_ = SqlFence::of("stock", "id", "last_fence").value();
};

TEST_F(MysqlFence, TheOldHolderIsRefused) {
  const std::string old = next_token();
  EXPECT_EQ(sell(old), 1);
  const std::string now = next_token();
  EXPECT_GT(std::stoull(now), std::stoull(old));
  EXPECT_EQ(sell(now), 1);
  EXPECT_EQ(sell(now), 1) << "the same holder was refused";
  EXPECT_EQ(sell(old), 0);
  EXPECT_EQ(judge(old).error().code, Errc::stale_token);
  EXPECT_EQ(left(), 97);
}

// The new holder has only read when the old one wakes up, as in docs/guarantees.md.
TEST_F(MysqlFence, TheFirstReadClosesTheFence) {
  const std::string old = next_token();
  EXPECT_EQ(execute(fence_.admission(), {old, kId, old}), 1);
  const std::string now = next_token();
  EXPECT_EQ(execute(fence_.admission(), {now, kId, now}), 1);
  EXPECT_EQ(sell(old), 0);
  EXPECT_EQ(sell(now), 1);
  EXPECT_EQ(left(), 99);
}

TEST_F(MysqlFence, TellsAMissingRowFromAStaleToken) {
  const std::string token = next_token();
  EXPECT_EQ(sell(token, "7"), 0);
  EXPECT_EQ(judge(token, "7").error().code, Errc::bad_argument);
}

// This is why the header asks for CLIENT_FOUND_ROWS: this connection counts changed
// rows.
TEST_F(MysqlFence, ATokenThatIsStoredAlreadyChangesNoRow) {
  const std::string token = next_token();
  EXPECT_EQ(execute(fence_.admission(), {token, kId, token}), 1);
  EXPECT_EQ(execute(fence_.admission(), {token, kId, token}), 0);
  EXPECT_TRUE(judge(token)) << "the token was not the reason";
}

}  // namespace
}  // namespace holdfast::test

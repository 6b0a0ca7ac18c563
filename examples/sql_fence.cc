// SPDX-License-Identifier: Apache-2.0

// sql_fence.cc - a row of a database turns a late holder away.
//
//   $ ./sql_fence
//   UPDATE stock SET count = count - ?, last_fence = ? WHERE id = ? AND last_fence <= ?
//   second: sold 1
//   first: refused, token 17 is stale: the row has seen 18; acquire the lock again
//   before you go on
//   99 left

#include <holdfast/holdfast.h>
#include <sqlite3.h>

#include <iostream>
#include <thread>

using namespace std::chrono_literals;

// SQLite here; the statements are the same everywhere.
std::int64_t run(sqlite3* db, const std::string& sql,
                 const std::vector<std::uint64_t>& args) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  for (int i = 0; const auto arg : args)
    sqlite3_bind_int64(statement, ++i, static_cast<sqlite3_int64>(arg));
  const bool row = sqlite3_step(statement) == SQLITE_ROW;
  const auto result = row ? sqlite3_column_int64(statement, 0) : sqlite3_changes(db);
  sqlite3_finalize(statement);
  return result;
}

int main() try {
  sqlite3* db = nullptr;
  sqlite3_open(":memory:", &db);
  run(db, "CREATE TABLE stock (id INT PRIMARY KEY, count INT, last_fence INT)", {});
  run(db, "INSERT INTO stock VALUES (1001, 100, 0)", {});
  const auto fence = holdfast::SqlFence::of("stock", "id", "last_fence").value();
  const std::string sell = "UPDATE stock SET count = count - ?, " + fence.assignment() +
                           " WHERE id = ? AND " + fence.condition();
  std::cout << sell << '\n';

  const auto lease = holdfast::LeaseOptions::fixed(200ms);
  holdfast::Mutex first(holdfast::Client::open().value(), "stock/1001", lease);
  holdfast::Mutex second(holdfast::Client::open().value(), "stock/1001", lease);
  const auto slow = first.acquire().value();  // its token is good until ...
  std::this_thread::sleep_for(300ms);         // ... another one was here
  const auto quick = second.acquire().value();
  const auto now = quick.token().value, old = slow.token().value;
  std::cout << "second: sold " << run(db, sell, {1, now, 1001, now}) << '\n';

  if (run(db, sell, {9, old, 1001, old}) != 0) return 1;
  const auto last = static_cast<std::uint64_t>(run(db, fence.question(), {1001}));
  const auto why =
      holdfast::SqlFence::explain_no_match({old}, holdfast::FencingToken{last});
  if (why) return 1;
  std::cout << "first: refused, " << why.error().message() << '\n';
  const auto left = run(db, "SELECT count FROM stock", {});
  std::cout << left << " left\n";
  return sqlite3_close(db) == SQLITE_OK && left == 99 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

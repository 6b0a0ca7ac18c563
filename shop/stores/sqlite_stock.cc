// SPDX-License-Identifier: Apache-2.0

#include "stores/sqlite_stock.h"

#include <chrono>
#include <thread>

namespace holdfast::shop {
namespace {

constexpr std::chrono::seconds kBusyLimit{10};
constexpr std::chrono::microseconds kBusyPause{100};

std::mutex writing;

// SQLite's own handler sleeps for up to 100 ms, in which the file is idle.
int when_busy(void*, int tries) {
  if (tries * kBusyPause > kBusyLimit) return 0;
  std::this_thread::sleep_for(kBusyPause);
  return 1;
}

constexpr const char* kSchema =
    "CREATE TABLE db_stock ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  product_code VARCHAR(255) DEFAULT NULL,"
    "  stock_code VARCHAR(255) DEFAULT NULL,"
    "  count INT DEFAULT NULL,"
    "  version INT NOT NULL DEFAULT 0,"
    "  token BIGINT NOT NULL DEFAULT 0);"
    "INSERT INTO db_stock (product_code, stock_code, count) VALUES ('1001', '001', ";

[[noreturn]] void fail(sqlite3* connection) {
  throw StoreError(connection ? sqlite3_errmsg(connection) : "out of memory");
}

sqlite3* open(const std::string& path) {
  sqlite3* connection = nullptr;
  constexpr int kFlags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &connection, kFlags, nullptr) != SQLITE_OK) {
    const StoreError why(sqlite3_errmsg(connection));
    sqlite3_close(connection);
    throw why;
  }
  sqlite3_busy_handler(connection, when_busy, nullptr);
  return connection;
}

// Makes the statement ready for its next use, even when a step throws.
class Reset {
 public:
  explicit Reset(sqlite3_stmt* statement) : statement_(statement) {}
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  ~Reset() { sqlite3_reset(statement_); }

 private:
  sqlite3_stmt* statement_;
};

}  // namespace

SqliteStock::SqliteStock(const std::string& path)
    : connection_(open(path)), turn_(writing, std::defer_lock) {
  execute("PRAGMA synchronous = OFF");
}

void SqliteStock::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    fail(connection_.get());
  }
}

sqlite3_stmt* SqliteStock::prepared(Command& command) {
  if (command.statement) return command.statement.get();
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), command.sql, -1, &statement, nullptr) !=
      SQLITE_OK) {
    fail(connection_.get());
  }
  command.statement.reset(statement);
  return statement;
}

int SqliteStock::run(Command& command) {
  const Reset reset(prepared(command));
  if (sqlite3_step(command.statement.get()) != SQLITE_DONE) fail(connection_.get());
  return sqlite3_changes(connection_.get());
}

int SqliteStock::write(Command& command) {
  if (turn_.owns_lock()) return run(command);
  const std::scoped_lock turn(writing);
  return run(command);
}

void SqliteStock::fill(int count) {
  execute("PRAGMA journal_mode = WAL");  // The mode is kept in the file.
  execute("DROP TABLE IF EXISTS db_stock;" + (kSchema + std::to_string(count)) + ");");
}

Stock SqliteStock::read() {
  sqlite3_stmt* const statement = prepared(read_);
  const Reset reset(statement);
  if (sqlite3_step(statement) != SQLITE_ROW) fail(connection_.get());
  return {.count = sqlite3_column_int(statement, 0),
          .version = sqlite3_column_int(statement, 1)};
}

void SqliteStock::write(int count) {
  sqlite3_bind_int(prepared(write_), 1, count);
  write(write_);
}

bool SqliteStock::write_if(const Stock& expect) {
  sqlite3_bind_int(prepared(write_if_), 1, expect.count - 1);
  sqlite3_bind_int(prepared(write_if_), 2, expect.version);
  return write(write_if_) == 1;
}

bool SqliteStock::take_one() { return write(take_one_) == 1; }

bool SqliteStock::write_fenced(int count, std::uint64_t token) {
  sqlite3_bind_int(prepared(write_fenced_), 1, count);
  sqlite3_bind_int64(prepared(write_fenced_), 2, static_cast<sqlite3_int64>(token));
  return write(write_fenced_) == 1;
}

void SqliteStock::begin() {
  turn_.lock();
  try {
    run(begin_);
  } catch (const StoreError&) {
    turn_.unlock();
    throw;
  }
}

void SqliteStock::commit() {
  run(commit_);
  turn_.unlock();
}

void SqliteStock::roll_back() noexcept {
  try {
    run(roll_back_);
  } catch (const StoreError&) {  // It has been rolled back already.
  }
  turn_.unlock();
}

}  // namespace holdfast::shop

#include "till.h"

namespace holdfast::demo {
namespace {

constexpr int kBusyTimeoutMs = 4000;

constexpr const char* kSchema =
    "CREATE TABLE db_stock ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  product_code VARCHAR(255) DEFAULT NULL,"
    "  stock_code VARCHAR(255) DEFAULT NULL,"
    "  count INT DEFAULT NULL,"
    "  version INT NOT NULL DEFAULT 0);"
    "INSERT INTO db_stock (product_code, stock_code, count) VALUES ('1001', '001', ";

[[noreturn]] void fail(sqlite3* connection) {
  throw DatabaseError(connection ? sqlite3_errmsg(connection) : "out of memory");
}

sqlite3* open(const std::string& path) {
  sqlite3* connection = nullptr;
  constexpr int kFlags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &connection, kFlags, nullptr) != SQLITE_OK) {
    const DatabaseError why(sqlite3_errmsg(connection));
    sqlite3_close(connection);
    throw why;
  }
  sqlite3_busy_timeout(connection, kBusyTimeoutMs);
  return connection;
}

void execute(sqlite3* connection, const std::string& sql) {
  if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(connection);
  }
}

// Leaves the statement ready for its next use, also when a step throws.
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

void create_stock(const std::string& path, int count) {
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> connection(open(path),
                                                                      sqlite3_close);
  execute(connection.get(), "PRAGMA journal_mode = WAL");  // kept in the file
  execute(connection.get(),
          "DROP TABLE IF EXISTS db_stock;" + (kSchema + std::to_string(count)) + ");");
}

Till::Till(const std::string& path) : connection_(open(path)) {
  execute(connection_.get(), "PRAGMA synchronous = OFF");
  read_ = prepare("SELECT count, version FROM db_stock WHERE id = 1");
  write_ = prepare("UPDATE db_stock SET count = ?1 WHERE id = 1");
  write_if_ = prepare(
      "UPDATE db_stock SET count = ?1, version = ?2 + 1 WHERE id = 1 AND version = ?2");
  take_one_ =
      prepare("UPDATE db_stock SET count = count - 1 WHERE id = 1 AND count > 0");
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  rollback_ = prepare("ROLLBACK");
}

Till::Statement Till::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), sql, -1, &statement, nullptr) !=
      SQLITE_OK) {
    fail(connection_.get());
  }
  return Statement(statement);
}

int Till::run(const Statement& statement) {
  const Reset reset(statement.get());
  if (sqlite3_step(statement.get()) != SQLITE_DONE) fail(connection_.get());
  return sqlite3_changes(connection_.get());
}

Stock Till::read() {
  const Reset reset(read_.get());
  if (sqlite3_step(read_.get()) != SQLITE_ROW) fail(connection_.get());
  return {.count = sqlite3_column_int(read_.get(), 0),
          .version = sqlite3_column_int(read_.get(), 1)};
}

void Till::write(int count) {
  sqlite3_bind_int(write_.get(), 1, count);
  run(write_);
}

bool Till::write_if(const Stock& expect) {
  sqlite3_bind_int(write_if_.get(), 1, expect.count - 1);
  sqlite3_bind_int(write_if_.get(), 2, expect.version);
  return run(write_if_) == 1;
}

bool Till::take_one() { return run(take_one_) == 1; }

Till::Transaction::Transaction(Till& till) : till_(till) { till_.run(till_.begin_); }

void Till::Transaction::commit() {
  till_.run(till_.commit_);
  open_ = false;
}

Till::Transaction::~Transaction() {
  if (!open_) return;
  sqlite3_step(till_.rollback_.get());
  sqlite3_reset(till_.rollback_.get());
}

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

// demo/stock.h - one connection to the stock, and the statements of the sale.
//
// A store is the path of an SQLite file, or mysql://[user[:password]@]host/database.

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace holdfast::demo {

struct Stock {
  int count = 0;
  int version = 0;
};

// This is also thrown for "database is locked" and a deadlock: nothing was changed
// then.
class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each thread has its own connection. Every member throws DatabaseError.
class StockConnection {
 public:
  virtual ~StockConnection() = default;

  // Creates db_stock with one row: product 1001 in warehouse 001.
  virtual void fill(int count) = 0;
  virtual void clear_away() = 0;

  virtual Stock read() = 0;
  virtual void write(int count) = 0;  // whatever the count is now
  // writes one less, if the version is still the same
  virtual bool write_if(const Stock& expect) = 0;
  virtual bool take_one() = 0;  // one statement that checks and decrements

  // Writes whatever the count is now, unless a greater token has written before.
  virtual bool write_fenced(int count, std::uint64_t token) = 0;

  // In this transaction, no other client writes what was read by read_alone().
  virtual void begin() = 0;
  virtual Stock read_alone() = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
};

// Throws DatabaseError, or Trouble when the store cannot be reached or is not built in.
std::unique_ptr<StockConnection> open_stock(const std::string& store);

// The transaction is rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(StockConnection& connection) : stock_(connection) {
    stock_.begin();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) stock_.roll_back();
  }
  void commit() {
    stock_.commit();
    open_ = false;
  }

 private:
  StockConnection& stock_;
  bool open_ = true;
};

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

// shop/stores/stock.h - one connection to the stock, and the steps of a sale.

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace holdfast::shop {

struct Places;

enum class Store : std::uint8_t { sqlite, mysql, redis };

const char* name_of(Store store) noexcept;

struct Stock {
  int count = 0;
  int version = 0;
};

// It is also thrown for "database is locked" and a deadlock: nothing was changed then.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each thread has a connection of its own. Every member throws StoreError; a step that
// a store does not have, as a transaction in Redis, does so, too.
class StockConnection {
 public:
  virtual ~StockConnection() = default;

  // Makes the stock anew, with this many items.
  virtual void fill(int count) = 0;

  virtual Stock read() = 0;
  virtual void write(int count) = 0;  // whatever the count is now
  virtual bool take_one() = 0;        // checks and decrements in one step

  // Writes one less if the version is still the same; a database has a column for it.
  virtual bool write_if(const Stock& expect) = 0;

  // Writes unless a greater token has been shown before.
  virtual bool write_fenced(int count, std::uint64_t token) = 0;

  virtual void begin() = 0;
  virtual Stock read_alone() = 0;   // SELECT ... FOR UPDATE
  virtual Stock read_shared() = 0;  // SELECT ... LOCK IN SHARE MODE
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
};

// Throws StoreError when the store cannot be reached.
std::unique_ptr<StockConnection> open_stock(Store store, const Places& places);

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

}  // namespace holdfast::shop

// demo/till.h - one connection to the stock database, and the statements of the sale.

#pragma once

#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace holdfast::demo {

struct Stock {
  int count = 0;
  int version = 0;
};

class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Makes db_stock with one row: product 1001 in warehouse 001. Throws DatabaseError.
void create_stock(const std::string& path, int count);

// One per thread. Every member throws DatabaseError; "database is locked" is one.
class Till {
 public:
  explicit Till(const std::string& path);

  Stock read();
  void write(int count);               // whatever is there now
  bool write_if(const Stock& expect);  // one less, if the version is still the same
  bool take_one();                     // one statement that checks and decrements

  // A transaction that locks the database for writing at once; ends without a trace
  // unless it was committed.
  class Transaction {
   public:
    explicit Transaction(Till& till);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

   private:
    Till& till_;
    bool open_ = true;
  };

 private:
  template <auto close>
  struct Closer {
    template <class T>
    void operator()(T* p) const {
      close(p);
    }
  };
  using Connection = std::unique_ptr<sqlite3, Closer<sqlite3_close>>;
  using Statement = std::unique_ptr<sqlite3_stmt, Closer<sqlite3_finalize>>;

  Statement prepare(const char* sql);
  int run(const Statement& statement);  // returns the number of changed rows

  Connection connection_;
  Statement read_, write_, write_if_, take_one_, begin_, commit_, rollback_;
};

}  // namespace holdfast::demo

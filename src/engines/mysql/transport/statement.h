// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/statement.h - a prepared statement: its text, its
// values, and its answer.

#pragma once

#include <mysql.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mysql {

// There is one object for each statement, and it is never destroyed: a connection finds
// what it has prepared by the address.
struct Sql {
  const char* text;
  const char* columns = "";  // of its rows: n for a number, t for text
};

// The values for the question marks. Text is not copied and must outlive the object.
class Args {
 public:
  Args() = default;
  template <class... Values>
  explicit Args(const Values&... values) {
    (*this << ... << values);
  }
  Args(const Args&) = delete;
  Args& operator=(const Args&) = delete;

  Args& operator<<(std::uint64_t number) { return add(number, true); }
  Args& operator<<(std::int64_t number) {
    return add(static_cast<std::uint64_t>(number), false);
  }
  Args& operator<<(std::uint32_t number) { return add(number, true); }
  Args& operator<<(std::chrono::microseconds span) {
    return *this << std::int64_t{span.count()};
  }
  Args& operator<<(std::string_view text);
  Args& operator<<(std::optional<std::int64_t> number);

  std::size_t size() const noexcept { return used_; }
  const MYSQL_BIND* binds() const noexcept { return binds_.data(); }

 private:
  static constexpr std::size_t kMost = 20;

  Args& add(std::uint64_t number, bool is_unsigned);
  MYSQL_BIND& next();

  std::array<MYSQL_BIND, kMost> binds_;
  std::array<std::uint64_t, kMost> numbers_;
  std::size_t used_ = 0;
};

struct Cell {
  bool null = true;
  std::int64_t number = 0;
  std::string text;

  std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(number); }

  // Returns microseconds, limited to what fits into nanoseconds: a row may say the year
  // 9999.
  std::chrono::microseconds span() const noexcept {
    constexpr std::chrono::microseconds kMost = std::chrono::hours(24) * 365 * 100;
    return std::clamp(std::chrono::microseconds(number), -kMost, kMost);
  }
};
using Row = std::vector<Cell>;

struct Answer {
  std::uint64_t matched = 0;  // the rows that an UPDATE, INSERT or DELETE found
  std::uint64_t id = 0;       // LAST_INSERT_ID
  std::vector<Row> rows;      // of a SELECT
};

}  // namespace holdfast::mysql

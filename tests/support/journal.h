// SPDX-License-Identifier: Apache-2.0

// tests/support/journal.h - a file that shows whether a lock kept its promise.
//
// Each record is written in two steps, number and token, so that a writer that dies
// between them leaves half a record. The next holder sees it and completes it with the
// token zero. Two concurrent writers leave a number twice, or a half in the middle.

#pragma once

#include <cstdint>
#include <string>

#include "holdfast/hold.h"

namespace holdfast::test {

class Journal {
 public:
  explicit Journal(const std::string& path);  // throws std::system_error
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // REQUIRES: the lock is held with this token.
  void append(FencingToken token);

  // Reads the whole file. `fault` is empty if the numbers are 1, 2, 3, ... and the
  // tokens rise.
  struct Audit {
    std::uint64_t records = 0;
    std::uint64_t repaired = 0;
    std::string fault;
  };
  Audit audit() const;

 private:
  void write_half(std::uint64_t half);

  int fd_;
};

}  // namespace holdfast::test

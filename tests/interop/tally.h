// SPDX-License-Identifier: Apache-2.0

// tests/interop/tally.h - a number in a file that both sides map into their memory.
//
//   Tally tally;                                   // zero
//   peer().tell("a", "contend", ..., tally.file(), ...);
//   EXPECT_TRUE(tally.add());                      // what the holder of the lock does
//
// Only the lock keeps two holders from changing the number at once. The peers' side is
// in peer/ and go/.

#pragma once

#include <string>

#include "support/temp_dir.h"

namespace holdfast::test {

class Tally {
 public:
  Tally();  // throws std::system_error
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally();

  const std::string& file() const noexcept { return file_; }
  long number() const noexcept;

  // These are critical sections of a holder. They return false if another holder was
  // there that must not be.
  bool add() noexcept;             // reads it and writes it back, one larger
  bool read() noexcept;            // reads it twice
  bool count(long most) noexcept;  // counts itself in and out

 private:
  const TempDir dir_;
  const std::string file_;
  long* number_ = nullptr;
};

}  // namespace holdfast::test

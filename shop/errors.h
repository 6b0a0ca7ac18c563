// SPDX-License-Identifier: Apache-2.0

// shop/errors.h - what ends the shop early, and with which exit code.

#pragma once

#include <stdexcept>
#include <string>

namespace holdfast::shop {

// These are exit codes of sysexits.h.
inline constexpr int kUsage = 64;
inline constexpr int kUnavailable = 69;
inline constexpr int kInternal = 70;
inline constexpr int kCannotCreate = 73;
inline constexpr int kInterrupted = 130;

// The text is one sentence for a person.
class Trouble : public std::runtime_error {
 public:
  Trouble(int exit_code, const std::string& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace holdfast::shop

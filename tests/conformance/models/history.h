// SPDX-License-Identifier: Apache-2.0

// tests/conformance/models/history.h - the last steps, for the reader of a failure.

#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>

#include "support/scale.h"

namespace holdfast::test {

// Returns how long a random run is: shorter where everything is slower.
inline int steps_to_do() { return static_cast<int>(300 / std::max(scale(), 1.0)); }

class History {
 public:
  explicit History(std::uint64_t seed) : seed_(seed) {}

  void add(std::size_t who, const std::string& command, const std::string& answer) {
    lines_.push_back(std::to_string(who) + ": " + command + " -> " + answer);
    if (lines_.size() > kLines) lines_.pop_front();
  }

  friend std::ostream& operator<<(std::ostream& out, const History& history) {
    out << "\nHOLDFAST_TEST_SEED=" << history.seed_ << ", the last steps:\n";
    for (const std::string& line : history.lines_) out << "  " << line << "\n";
    return out;
  }

 private:
  static constexpr std::size_t kLines = 15;
  const std::uint64_t seed_;
  std::deque<std::string> lines_;
};

}  // namespace holdfast::test

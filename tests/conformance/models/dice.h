// SPDX-License-Identifier: Apache-2.0

// tests/conformance/models/dice.h - random numbers that can be repeated.
//
// HOLDFAST_TEST_SEED repeats a run; without it every run is a different one.

#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace holdfast::test {

class Dice {
 public:
  Dice();

  std::uint64_t seed() const noexcept { return seed_; }

  // Returns a number from `least` to `most`, both included.
  std::int64_t between(std::int64_t least, std::int64_t most);
  std::size_t below(std::size_t limit);
  bool one_in(std::size_t times) { return below(times) == 0; }
  template <class Range>
  void shuffle(Range& these) {
    std::shuffle(these.begin(), these.end(), random_);
  }

 private:
  std::uint64_t seed_;
  std::mt19937_64 random_;
};

}  // namespace holdfast::test

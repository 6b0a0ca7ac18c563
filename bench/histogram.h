// SPDX-License-Identifier: Apache-2.0

// bench/histogram.h - how long many waits took. A slot is a sixteenth of a power of
// two, so that a percentile is at most 7 % too low; the longest wait is exact.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <istream>

namespace holdfast::bench {

// Zeroed memory is an empty histogram, so it may lie in memory that processes share.
// The class is not safe for concurrent use: each thread fills its own.
class Histogram {
 public:
  void add(std::int64_t ns) {
    ++slots_[slot_of(ns)];
    longest_ns_ = std::max(longest_ns_, ns);
  }
  void merge(const Histogram& other);

  bool empty() const noexcept { return longest_ns_ == 0; }
  double longest_ms() const { return static_cast<double>(longest_ns_) / 1e6; }

  // Returns the wait that this part of all waits, from 0 to 1, does not exceed.
  double percentile_ms(double part) const;

  // Reads what the peers of tests/interop write: the longest wait in nanoseconds, and
  // SLOT:COUNT for every slot that is not empty, with a comma after each.
  friend std::istream& operator>>(std::istream& in, Histogram& histogram);

 private:
  static constexpr std::size_t kSlots =
      std::size_t{40} * 16;  // The last is for all above 2 h.

  // Below 16 ns each nanosecond has a slot of its own.
  static std::size_t slot_of(std::int64_t ns) {
    const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
    if (time < 16) return static_cast<std::size_t>(time);
    const auto shift = static_cast<std::size_t>(std::bit_width(time)) - 5;
    return std::min((shift << 4) + static_cast<std::size_t>(time >> shift), kSlots - 1);
  }
  static double start_ns(std::size_t slot);

  std::array<std::int64_t, kSlots> slots_ = {};
  std::int64_t longest_ns_ = 0;
};

}  // namespace holdfast::bench

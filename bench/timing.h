// SPDX-License-Identifier: Apache-2.0

// bench/timing.h - times that can be compared: rounds of the rivals interleaved, and
// the median of each.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace holdfast::bench {

inline std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

double cpu_seconds();  // returns the processor time of this process

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the value that this part of the values, from 0 to 1, does not exceed.
double percentile(std::vector<double> values, double part);

// A loop runs `n` times what is measured.
using Loop = std::function<void(std::int64_t n)>;

// Returns the nanoseconds per turn of each loop.
std::vector<double> compare(const std::vector<Loop>& loops);

}  // namespace holdfast::bench

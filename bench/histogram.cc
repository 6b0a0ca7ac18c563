// SPDX-License-Identifier: Apache-2.0

#include "histogram.h"

#include <cmath>
#include <numeric>

namespace holdfast::bench {

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kSlots; ++i) slots_[i] += other.slots_[i];
  longest_ns_ = std::max(longest_ns_, other.longest_ns_);
}

double Histogram::start_ns(std::size_t slot) {
  if (slot < 16) return static_cast<double>(slot);
  const std::size_t shift = slot / 16 - 1;
  return std::ldexp(static_cast<double>(16 + slot % 16), static_cast<int>(shift));
}

double Histogram::percentile_ms(double part) const {
  const auto all = std::accumulate(slots_.begin(), slots_.end(), std::int64_t{0});
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kSlots; ++i) {
    sum += slots_[i];
    if (sum > 0 && static_cast<double>(sum) >= part * static_cast<double>(all)) {
      return start_ns(i) / 1e6;
    }
  }
  return 0;
}

std::istream& operator>>(std::istream& in, Histogram& histogram) {
  in >> histogram.longest_ns_ >> std::ws;
  while (std::isdigit(in.peek()) != 0) {
    std::size_t slot = 0;
    std::int64_t count = 0;
    char separator = 0;
    in >> slot >> separator >> count >> separator;
    histogram.slots_[std::min(slot, Histogram::kSlots - 1)] += count;
  }
  return in;
}

}  // namespace holdfast::bench

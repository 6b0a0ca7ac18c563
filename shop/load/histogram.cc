// SPDX-License-Identifier: Apache-2.0

#include "load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace holdfast::shop {
namespace {

constexpr int kPartBits = 7;
constexpr std::int64_t kParts = 1 << kPartBits;
constexpr std::int64_t kLargest = 3'600'000'000;

// Values below 2 * kParts have a bucket each; above, the upper 8 bits choose it.
std::size_t bucket_of(std::int64_t value) {
  const auto width =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  const int shift = std::max(0, width - kPartBits - 1);
  return static_cast<std::size_t>(shift * kParts + (value >> shift));
}

std::int64_t upper_end(std::size_t bucket) {
  const auto index = static_cast<std::int64_t>(bucket);
  if (index < 2 * kParts) return index;
  const std::int64_t shift = index / kParts - 1;
  return ((index - shift * kParts + 1) << shift) - 1;
}

}  // namespace

void Histogram::record(Micros value, std::uint64_t times) {
  if (times == 0) return;
  const std::int64_t us = std::clamp<std::int64_t>(value.count(), 0, kLargest);
  const std::size_t bucket = bucket_of(us);
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  counts_[bucket] += times;
  min_ = count_ == 0 ? us : std::min(min_, us);
  max_ = std::max(max_, us);
  count_ += times;
  sum_ += static_cast<double>(us) * static_cast<double>(times);
}

Histogram Histogram::corrected(Micros interval) const {
  Histogram all = *this;
  if (interval.count() <= 0) return all;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    const Micros seen(std::min(upper_end(bucket), max_));
    for (Micros hidden = seen - interval; hidden >= interval; hidden -= interval) {
      all.record(hidden, counts_[bucket]);
    }
  }
  return all;
}

Histogram Histogram::since(const Histogram& earlier) const {
  Histogram later;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    const std::uint64_t before =
        bucket < earlier.counts_.size() ? earlier.counts_[bucket] : 0;
    later.record(Micros(std::min(upper_end(bucket), max_)), counts_[bucket] - before);
  }
  return later;
}

Histogram::Micros Histogram::min() const noexcept { return Micros(min_); }

double Histogram::average_us() const noexcept {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

Histogram::Micros Histogram::percentile(double percent) const noexcept {
  const auto rank = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(std::clamp(percent, 0.0, 100.0) / 100 *
                                              static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return Micros(std::min(upper_end(bucket), max_));
  }
  return Micros(0);
}

}  // namespace holdfast::shop

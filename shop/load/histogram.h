// SPDX-License-Identifier: Apache-2.0

// shop/load/histogram.h - how often each latency was seen, in little room.
//
//   Histogram latencies;
//   latencies.record(1234us);
//   latencies.percentile(99);          // 1234us, or up to 0.8 % more
//
// The buckets are those of an HdrHistogram: each power of two is cut into 128 equal
// parts, so the error is relative and the size does not depend on the number of values.

#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace holdfast::shop {

// It is not safe for concurrent use.
class Histogram {
 public:
  using Micros = std::chrono::microseconds;

  // More than an hour counts as an hour, and a negative time as none.
  void record(Micros value, std::uint64_t times = 1);

  // Returns a copy to which the requests were added that a stalled user did not send. A
  // user waits for one answer before it sends the next request, so one answer that
  // takes 100 intervals hides 99 requests that would have waited for 99, 98, ... of
  // them. That is called coordinated omission.
  Histogram corrected(Micros interval) const;

  // Returns what was recorded after `earlier`, a copy of this histogram at that time.
  // Its min() and max() are the bounds of buckets.
  Histogram since(const Histogram& earlier) const;

  std::uint64_t count() const noexcept { return count_; }
  Micros min() const noexcept;
  Micros max() const noexcept { return Micros(max_); }
  double average_us() const noexcept;

  // Returns the upper end of the bucket that the value of this rank is in, and at most
  // max(). `percent` is from 0 to 100.
  Micros percentile(double percent) const noexcept;

 private:
  std::vector<std::uint64_t> counts_;  // grows with the largest value
  std::uint64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  double sum_ = 0;
};

inline double in_ms(Histogram::Micros time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace holdfast::shop

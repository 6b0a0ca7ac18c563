// SPDX-License-Identifier: Apache-2.0

#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace holdfast::demo {
namespace {

// Returns the smallest value that at least this share of the samples does not exceed.
double percentile(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

Statistics summarize(const std::vector<Sample>& samples) {
  Statistics s;
  if (samples.empty()) return s;
  std::vector<double> times;
  times.reserve(samples.size());
  std::int64_t first = samples.front().started_ns;
  std::int64_t last = samples.front().ended_ns;
  for (const Sample& sample : samples) {
    times.push_back(static_cast<double>(sample.ended_ns - sample.started_ns) / 1e6);
    first = std::min(first, sample.started_ns);
    last = std::max(last, sample.ended_ns);
    s.retries += sample.retries;
    if (sample.outcome == Outcome::sold) ++s.sold;
    if (sample.outcome == Outcome::failed) ++s.errors;
  }
  std::sort(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  s.samples = times.size();
  s.average = std::accumulate(times.begin(), times.end(), 0.0) / n;
  s.median = percentile(times, 0.50);
  s.p90 = percentile(times, 0.90);
  s.p95 = percentile(times, 0.95);
  s.p99 = percentile(times, 0.99);
  s.min = times.front();
  s.max = times.back();
  s.error_percent = 100.0 * static_cast<double>(s.errors) / n;
  s.seconds = static_cast<double>(std::max<std::int64_t>(last - first, 1)) / 1e9;
  s.throughput = n / s.seconds;
  return s;
}

}  // namespace holdfast::demo

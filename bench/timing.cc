// SPDX-License-Identifier: Apache-2.0

#include "timing.h"

#include <sys/resource.h>

namespace holdfast::bench {
namespace {

constexpr int kTimingRounds = 9;
constexpr std::int64_t kRoundNs = 30'000'000;

std::int64_t time(const Loop& loop, std::int64_t n) {
  const std::int64_t start = now_ns();
  loop(n);
  return now_ns() - start;
}

std::int64_t calibrate(const Loop& loop) {
  std::int64_t n = 1000;
  while (time(loop, n) < kRoundNs) n *= 2;
  return n;
}

}  // namespace

double cpu_seconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(last * part)];
}

std::vector<double> compare(const std::vector<Loop>& loops) {
  std::vector<std::int64_t> turns;
  turns.reserve(loops.size());
  for (const Loop& loop : loops) turns.push_back(calibrate(loop));
  std::vector<std::vector<double>> rounds(loops.size());
  for (int round = 0; round < kTimingRounds; ++round) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const auto ns = static_cast<double>(time(loops[i], turns[i]));
      rounds[i].push_back(ns / static_cast<double>(turns[i]));
    }
  }
  std::vector<double> medians;
  medians.reserve(loops.size());
  for (const auto& values : rounds) medians.push_back(median(values));
  return medians;
}

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// demo/statistics.h - the columns of a load test.

#pragma once

#include <cstddef>
#include <vector>

#include "shop.h"

namespace holdfast::demo {

// The times are in milliseconds.
struct Statistics {
  std::size_t samples = 0;
  std::size_t sold = 0;
  std::size_t errors = 0;
  std::size_t retries = 0;
  double average = 0, median = 0, p90 = 0, p95 = 0, p99 = 0, min = 0, max = 0;
  double error_percent = 0;
  double throughput = 0;  // samples per second, from the first start to the last end
  double seconds = 0;
};

Statistics summarize(const std::vector<Sample>& samples);

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

// shop/report/row.h - the columns of a load test.

#pragma once

#include <cstdint>

#include "sale/sale.h"

namespace holdfast::shop {

// The times are in milliseconds.
struct Row {
  std::uint64_t samples = 0;
  double average = 0, median = 0, p90 = 0, p95 = 0, p99 = 0, min = 0, max = 0;
  double corrected_p99 = 0;  // with the requests that stalled users did not send
  double alone_median = 0, alone_p99 = 0;  // of a single user
  double error_percent = 0;
  double throughput = 0;   // samples per second
  double received_kb = 0;  // KB per second
  double sent_kb = 0;      // KB per second
};

Row row_of(const SaleResult& sale, int users);

}  // namespace holdfast::shop

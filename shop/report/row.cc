// SPDX-License-Identifier: Apache-2.0

#include "report/row.h"

namespace holdfast::shop {
namespace {

double per(double amount, double whole) { return whole > 0 ? amount / whole : 0; }

}  // namespace

Row row_of(const SaleResult& sale, int users) {
  const LoadResult& load = sale.load;
  const Histogram& latency = load.latency;
  // A user that never stalls sends a request in each such interval.
  const Histogram::Micros interval(
      static_cast<std::int64_t>(per(1e6 * users, load.per_second())));
  const auto samples = static_cast<double>(load.samples());
  constexpr double kKilobyte = 1024;
  return {
      .samples = load.samples(),
      .average = latency.average_us() / 1000,
      .median = in_ms(latency.percentile(50)),
      .p90 = in_ms(latency.percentile(90)),
      .p95 = in_ms(latency.percentile(95)),
      .p99 = in_ms(latency.percentile(99)),
      .min = in_ms(latency.min()),
      .max = in_ms(latency.max()),
      .corrected_p99 = in_ms(latency.corrected(interval).percentile(99)),
      .alone_median = in_ms(sale.alone.percentile(50)),
      .alone_p99 = in_ms(sale.alone.percentile(99)),
      .error_percent = per(100.0 * static_cast<double>(load.errors), samples),
      .throughput = load.per_second(),
      .received_kb =
          per(static_cast<double>(load.bytes_received) / kKilobyte, load.seconds),
      .sent_kb = per(static_cast<double>(load.bytes_sent) / kKilobyte, load.seconds)};
}

}  // namespace holdfast::shop

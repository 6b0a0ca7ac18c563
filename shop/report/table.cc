// SPDX-License-Identifier: Apache-2.0

#include "report/table.h"

#include <string>

#include "report/row.h"

namespace holdfast::shop {

void print_head(std::FILE* out, const SaleOptions& options) {
  std::fprintf(
      out,
      "%d items, %d users with %d requests each, %d services%s; times in ms\n\n"
      "%-18s %-6s %7s %8s %8s %8s %8s %8s %8s %8s %7s %9s %8s %7s %6s %8s\n",
      options.stock, options.users, options.requests, options.services,
      options.direct ? " (the first alone)" : " behind nginx", "strategy", "store",
      "samples", "average", "median", "p90", "p95", "p99", "min", "max", "error",
      "req/s", "recvKB/s", "KB/s", "left", "oversold");
}

void print_row(std::FILE* out, const SaleResult& sale, const SaleOptions& options) {
  const Row row = row_of(sale, options.users);
  std::fprintf(
      out,
      "%-18s %-6s %7llu %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %6.2f%% %9.1f "
      "%8.1f %7.1f %6d %8ld",
      std::string(sale.strategy->name).c_str(), name_of(sale.store),
      static_cast<unsigned long long>(row.samples), row.average, row.median, row.p90,
      row.p95, row.p99, row.min, row.max, row.error_percent, row.throughput,
      row.received_kb, row.sent_kb, sale.left, sale.oversold);
  if (sale.load.retries != 0) {
    std::fprintf(out, "  %llu retries",
                 static_cast<unsigned long long>(sale.load.retries));
  }
  if (sale.load.cut) {
    std::fprintf(out, "  cut after %.0f s",
                 std::chrono::duration<double>(options.limit).count());
  }
  std::fputc('\n', out);
  std::fflush(out);
}

void print_scene(std::FILE* out, const SceneResult& result) {
  std::fprintf(out, "%-18s %-66s %-9s %s\n", std::string(result.scene->name).c_str(),
               std::string(result.scene->told).c_str(),
               result.hole_shown ? "it did" : "NOT SHOWN",
               result.holdfast_whole ? "Holdfast did not" : "HOLDFAST DID, TOO");
  std::fflush(out);
}

}  // namespace holdfast::shop

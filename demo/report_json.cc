// SPDX-License-Identifier: Apache-2.0

#include "report.h"
#include "strategy.h"

namespace holdfast::demo {
namespace {

void print_sale(std::FILE* out, std::string_view name, const SaleResult& sale) {
  const Statistics& s = sale.statistics;
  std::fprintf(out, "    {\"strategy\": \"%.*s\", \"samples\": %zu, \"sold\": %zu, ",
               static_cast<int>(name.size()), name.data(), s.samples, s.sold);
  std::fprintf(out, "\"average_ms\": %.3f, \"median_ms\": %.3f, ", s.average, s.median);
  std::fprintf(out, "\"p90_ms\": %.3f, \"p95_ms\": %.3f, \"p99_ms\": %.3f, ", s.p90,
               s.p95, s.p99);
  std::fprintf(out, "\"min_ms\": %.3f, \"max_ms\": %.3f, ", s.min, s.max);
  std::fprintf(out, "\"error_percent\": %.2f, \"throughput_per_s\": %.1f, ",
               s.error_percent, s.throughput);
  std::fprintf(out, "\"retries\": %zu, \"stock_left\": %d, \"oversold\": %ld, ",
               s.retries, sale.stock_left, sale.oversold);
  std::fprintf(out, "\"verdict\": \"%s\"}", verdict(sale).c_str());
}

}  // namespace

void print_json(std::FILE* out, const Report& report) {
  const Options& o = report.options;
  std::fprintf(out, "{\n  \"stock\": %d, \"shops\": %d, \"threads\": %d, ", o.stock,
               o.shops, o.threads);
  std::fprintf(out, "\"store\": \"%s\",\n", o.in_mysql() ? "mysql" : "sqlite");
  std::fprintf(out, "  \"strategies\": [\n");
  for (std::size_t i = 0; i < report.sales.size(); ++i) {
    print_sale(out, strategy_info(i, o.in_mysql()).name, report.sales[i]);
    std::fprintf(out, i + 1 < report.sales.size() ? ",\n" : "\n");
  }
  const CrashResult& c = report.crash;
  std::fprintf(out, "  ],\n  \"crash\": {\"stock\": %d, \"sold_before\": %d, ", c.stock,
               c.sold_before);
  std::fprintf(out, "\"sold_after\": %d, \"resumed_ms\": %.3f, ", c.sold_after,
               c.resumed_ms);
  std::fprintf(out, "\"stock_left\": %d, \"oversold\": %ld},\n", c.stock_left,
               c.oversold);
  const PauseResult& p = report.pause;
  const auto spelt = [](bool yes) { return yes ? "true" : "false"; };
  std::fprintf(out, "  \"pause\": {\"shown\": %s, \"waited_ms\": %.3f, ",
               spelt(p.shown), p.waited_ms);
  std::fprintf(out, "\"knew\": %s, \"refused\": %s},\n", spelt(p.knew),
               spelt(p.refused));
  std::fprintf(out, "  \"lock_unlock_us\": %.3f\n}\n", report.price_us);
}

}  // namespace holdfast::demo

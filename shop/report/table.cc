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
  std::fprintf(out, "%-12s %-62s %-12s %s\n", std::string(result.scene->name).c_str(),
               std::string(result.scene->told).c_str(),
               result.hole_shown ? "it did" : "NOT SHOWN",
               result.holdfast_whole ? "Holdfast did not" : "HOLDFAST DID, TOO");
  std::fflush(out);
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      quoted += code;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

namespace {

void print_json_row(std::FILE* out, const SaleResult& sale, const Row& row) {
  const StrategyInfo& strategy = *sale.strategy;
  const LoadResult& load = sale.load;
  std::fprintf(out, "{\"name\":%s,\"engine\":%s,\"holdfast\":%s,\"store\":\"%s\",",
               json_string(strategy.name).c_str(), json_string(strategy.engine).c_str(),
               strategy.engine.empty() ? "false" : "true", name_of(sale.store));
  std::fprintf(
      out,
      "\"services\":%d,\"samples\":%llu,\"average_ms\":%.3f,\"median_ms\":%.3f,"
      "\"p90_ms\":%.3f,\"p95_ms\":%.3f,\"p99_ms\":%.3f,\"min_ms\":%.3f,"
      "\"max_ms\":%.3f,\"corrected_p99_ms\":%.3f,",
      sale.services, static_cast<unsigned long long>(row.samples), row.average,
      row.median, row.p90, row.p95, row.p99, row.min, row.max, row.corrected_p99);
  std::fprintf(out,
               "\"error_percent\":%.3f,\"first_error\":%s,\"requests_per_s\":%.1f,"
               "\"received_kb_per_s\":%.1f,\"sent_kb_per_s\":%.1f,",
               row.error_percent, json_string(load.first_error).c_str(), row.throughput,
               row.received_kb, row.sent_kb);
  std::fprintf(out,
               "\"retries\":%llu,\"unanswered\":%llu,\"cut\":%s,\"sold\":%llu,"
               "\"left\":%d,\"oversold\":%ld}",
               static_cast<unsigned long long>(load.retries),
               static_cast<unsigned long long>(load.unanswered),
               load.cut ? "true" : "false", static_cast<unsigned long long>(load.sold),
               sale.left, sale.oversold);
}

}  // namespace

void print_json(std::FILE* out, const std::vector<SaleResult>& sales,
                const std::vector<SceneResult>& played, const SaleOptions& options) {
  std::fprintf(out,
               "{\"stock\":%d,\"users\":%d,\"requests\":%d,\"nginx\":%s,\n"
               " \"strategies\":[",
               options.stock, options.users, options.requests,
               options.direct ? "false" : "true");
  const char* comma = "";
  for (const SaleResult& sale : sales) {
    std::fprintf(out, "%s\n  ", comma);
    print_json_row(out, sale, row_of(sale, options.users));
    comma = ",";
  }
  std::fprintf(out, "],\n \"scenes\":[");
  comma = "";
  for (const SceneResult& result : played) {
    std::fprintf(out, "%s\n  {\"name\":%s,\"hole_shown\":%s,\"holdfast_whole\":%s}",
                 comma, json_string(result.scene->name).c_str(),
                 result.hole_shown ? "true" : "false",
                 result.holdfast_whole ? "true" : "false");
    comma = ",";
  }
  std::fprintf(out, "]}\n");
}

}  // namespace holdfast::shop

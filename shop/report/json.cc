// SPDX-License-Identifier: Apache-2.0

#include "report/json.h"

#include <algorithm>

#include "report/row.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

using Long = unsigned long long;

const char* word(bool value) { return value ? "true" : "false"; }

// Puts what `spell` makes of each item between brackets, one in a line.
template <class Items, class Spell>
std::string list_of(const Items& items, Spell spell) {
  std::string text = "[";
  const char* before = "\n  ";
  for (const auto& item : items) {
    text += before + spell(item);
    before = ",\n  ";
  }
  return text + "]";
}

std::string who(const StrategyInfo& strategy) {
  return "\"name\":" + json_string(strategy.name) +
         ",\"engine\":" + json_string(strategy.engine) +
         ",\"holdfast\":" + word(!strategy.engine.empty());
}

std::string sale_json(const SaleResult& sale, const Row& row) {
  const LoadResult& load = sale.load;
  return "{" + who(*sale.strategy) +
         printed(
             ",\"store\":\"%s\",\"services\":%d,\"samples\":%llu,\"average_ms\":%.3f,"
             "\"median_ms\":%.3f,\"p90_ms\":%.3f,\"p95_ms\":%.3f,\"p99_ms\":%.3f,"
             "\"min_ms\":%.3f,\"max_ms\":%.3f,\"corrected_p99_ms\":%.3f,"
             "\"alone_median_ms\":%.3f,\"alone_p99_ms\":%.3f,",
             name_of(sale.store), sale.services, Long{row.samples}, row.average,
             row.median, row.p90, row.p95, row.p99, row.min, row.max, row.corrected_p99,
             row.alone_median, row.alone_p99) +
         printed(
             "\"error_percent\":%.3f,\"first_error\":%s,\"requests_per_s\":%.1f,"
             "\"received_kb_per_s\":%.1f,\"sent_kb_per_s\":%.1f,",
             row.error_percent, json_string(load.first_error).c_str(), row.throughput,
             row.received_kb, row.sent_kb) +
         printed(
             "\"retries\":%llu,\"unanswered\":%llu,\"cut\":%s,\"sold\":%llu,"
             "\"left\":%d,\"oversold\":%ld,\"most_inside\":%d}",
             Long{load.retries}, Long{load.unanswered}, word(load.cut), Long{load.sold},
             sale.left, sale.oversold, sale.most_inside);
}

std::string scene_json(const SceneResult& result) {
  return "{\"name\":" + json_string(result.scene->name) +
         ",\"told\":" + json_string(result.scene->told) +
         ",\"hole_shown\":" + word(result.hole_shown) +
         ",\"holdfast_whole\":" + word(result.holdfast_whole) + "}";
}

std::string options_json(const SaleOptions& options) {
  return printed(
      "\"stock\":%d,\"users\":%d,\"requests\":%d,\"services\":%d,\"nginx\":%s,"
      "\"limit_s\":%.1f",
      options.stock, options.users, options.requests, options.services,
      word(!options.direct), std::chrono::duration<double>(options.limit).count());
}

std::string machine_json(const Machine& machine) {
  return "{\"processor\":" + json_string(machine.processor) +
         printed(",\"cores\":%u,\"memory_gib\":%.1f", machine.cores,
                 machine.memory_gib) +
         ",\"system\":" + json_string(machine.system) +
         ",\"date\":" + json_string(machine.date) + "}";
}

std::string moment_json(const Moment& moment) {
  std::string text =
      printed("[%zu,%.2f,%d,%llu,%llu,%.0f,%.2f,%.2f,%.2f,[", moment.strategy,
              moment.seconds, moment.left, Long{moment.sold}, Long{moment.errors},
              moment.per_second, moment.p50, moment.p90, moment.p99);
  const char* comma = "";
  for (const Moment::Service& service : moment.services) {
    text += printed("%s[%d,%d]", comma, service.inside, service.buying);
    comma = ",";
  }
  return text + "]]";
}

}  // namespace

std::string result_json(const Run& run) {
  return "{" + options_json(run.options) + ",\n \"strategies\":" +
         list_of(run.sales,
                 [&](const SaleResult& sale) {
                   return sale_json(sale, row_of(sale, run.options.users));
                 }) +
         ",\n \"scenes\":" + list_of(run.played, scene_json) + "}\n";
}

std::string run_json(const Run& run) {
  return "{\"command\":" + json_string(run.command) +
         ",\"machine\":" + machine_json(run.machine) + "," + options_json(run.options) +
         ",\n \"plan\":" +
         list_of(run.plan,
                 [&](const StrategyInfo* each) {
                   return "{" + who(*each) + ",\"how\":" + json_string(each->how) +
                          ",\"oversells\":" + word(each->oversells) + ",\"store\":\"" +
                          name_of(store_of(*each, run.options.store)) + "\"}";
                 }) +
         "}\n";
}

std::string moments_json(const Run& run, std::size_t from) {
  const std::size_t first = std::min(from, run.moments.size());
  const std::size_t count = std::min(run.moments.size() - first, kMomentsAtOnce);
  return list_of(std::span(run.moments).subspan(first, count), moment_json);
}

}  // namespace holdfast::shop

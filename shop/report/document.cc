// SPDX-License-Identifier: Apache-2.0

#include "report/document.h"

#include "page/files.h"
#include "report/charts.h"
#include "report/engines.h"
#include "report/row.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

std::string cell(const std::string& text, const char* kind = "") {
  return std::string("<td") +
         (*kind != '\0' ? " class=\"" + std::string(kind) + "\"" : "") + ">" + text +
         "</td>";
}

std::string words_on(const SaleResult& sale, const SaleOptions& options) {
  std::string words = name_of(sale.store);
  if (sale.load.cut) {
    words += " · cut after " +
             grouped(std::chrono::duration<double>(options.limit).count()) + " s";
  }
  if (sale.load.retries != 0) {
    words += " · " + grouped(static_cast<double>(sale.load.retries)) + " retries";
  }
  return words;
}

std::string table_row(const SaleResult& sale, const SaleOptions& options) {
  const Row row = row_of(sale, options.users);
  const StrategyInfo& strategy = *sale.strategy;
  std::string cells = "<th scope=\"row\">" + html_text(strategy.name) + "<small>" +
                      words_on(sale, options) + "</small></th>" +
                      cell(grouped(static_cast<double>(row.samples)));
  for (const double ms :
       {row.average, row.median, row.p90, row.p95, row.p99, row.min, row.max}) {
    cells += cell(ms_text(ms));
  }
  cells += cell(grouped(row.error_percent, 2), row.error_percent > 0 ? "warn" : "") +
           cell(grouped(row.throughput)) + cell(grouped(row.received_kb, 1)) +
           cell(grouped(row.sent_kb, 1)) + cell(grouped(sale.left)) +
           cell(grouped(static_cast<double>(sale.oversold)),
                sale.oversold > 0 ? "bad" : "good");
  return "<tr title=\"" + html_text(strategy.how) + "\">" + cells + "</tr>\n";
}

std::string table(const Run& run) {
  std::string rows;
  for (const SaleResult& sale : run.sales) rows += table_row(sale, run.options);
  return "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>"
         "<th scope=\"col\">Strategy</th><th>Samples<i></i></th>"
         "<th>Average<i>ms</i></th><th>Median<i>ms</i></th><th>p90<i>ms</i></th>"
         "<th>p95<i>ms</i></th><th>p99<i>ms</i></th><th>Min<i>ms</i></th>"
         "<th>Max<i>ms</i></th><th>Errors<i>%</i></th><th>Throughput<i>/s</i></th>"
         "<th>Received<i>KB/s</i></th><th>Sent<i>KB/s</i></th><th>Left<i>items</i></th>"
         "<th>Oversold<i>items</i></th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string scene_lines(const Run& run) {
  if (run.played.empty()) return "";
  std::string items;
  for (const SceneResult& result : run.played) {
    items += "<li><b>" + html_text(result.scene->name) + "</b><span>" +
             html_text(result.scene->told) + "</span><span class=\"mark " +
             (result.hole_shown ? "bad\">home-made: it did"
                                : "warn\">home-made: not shown") +
             "</span><span class=\"mark " +
             (result.holdfast_whole ? "good\">Holdfast: it did not"
                                    : "bad\">Holdfast: it did, too") +
             "</span></li>\n";
  }
  return "<section><h2>Scenes</h2><p>Each hole of the home-made locks, shown on a real "
         "server, and Holdfast in the same accident.</p><ul class=\"scenes\">\n" +
         items + "</ul></section>\n";
}

std::string summary(const Run& run) {
  std::string oversold;
  std::size_t whole = 0;
  for (const SaleResult& sale : run.sales) {
    if (sale.oversold == 0) {
      ++whole;
    } else {
      oversold += (oversold.empty() ? "" : ", ") + html_text(sale.strategy->name) +
                  " (" + grouped(static_cast<double>(sale.oversold)) + " items)";
    }
  }
  const std::string sold_well = std::to_string(whole) + " of " +
                                std::to_string(run.sales.size()) +
                                " strategies sold no item twice";
  return "<p class=\"lead\">" + sold_well +
         (oversold.empty() ? "." : ". These oversold: " + oversold + ".") + "</p>\n";
}

std::string conditions(const Run& run) {
  const SaleOptions& options = run.options;
  return grouped(options.stock) + " items · " + grouped(options.users) + " users × " +
         grouped(options.requests) + " requests · " + grouped(options.services) +
         " services" + (options.direct ? ", the first alone" : " behind nginx");
}

std::string machine_lines(const Run& run) {
  const Machine& machine = run.machine;
  return "<section><h2>Machine and command</h2><dl class=\"machine\"><dt>Processor</dt>"
         "<dd>" +
         html_text(machine.processor.empty() ? "unknown" : machine.processor) + ", " +
         std::to_string(machine.cores) + " cores</dd><dt>Memory</dt><dd>" +
         grouped(machine.memory_gib, 1) + " GiB</dd><dt>System</dt><dd>" +
         html_text(machine.system) + "</dd><dt>Date</dt><dd>" +
         html_text(machine.date) + "</dd><dt>Command</dt><dd><code>" +
         html_text(run.command) + "</code></dd></dl></section>\n";
}

}  // namespace

std::string report_html(const Run& run) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
         "<meta name=\"color-scheme\" content=\"light dark\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'\">"
         "<title>Holdfast shop: report</title>\n<style>\n" +
         std::string(kPageCss) +
         "</style></head>\n<body class=\"report\"><header><h1>Holdfast "
         "<span>shop</span></h1><p>" +
         conditions(run) + "</p></header>\n<main>\n" + summary(run) +
         "<section><h2>Throughput</h2><p>Purchases in a second, all users at once. "
         "<span class=\"key ours\">Holdfast</span> <span class=\"key "
         "other\">others</span> "
         "<span class=\"key bad\">oversold</span></p>\n" +
         throughput_chart(run) +
         "</section>\n<section><h2>Latency</h2><p>What a user waits for, from the "
         "median "
         "to p99, by a logarithmic scale; the small dot is p90.</p>\n" +
         latency_chart(run) +
         "</section>\n<section><h2>Stock</h2><p><span class=\"key left\">Left on the "
         "shelf</span> and <span class=\"key sold\">sold</span>, by time. Where more "
         "is "
         "sold than goes missing, the same item was sold twice.</p>\n" +
         stock_charts(run) + "</section>\n<section><h2>Table</h2>\n" + table(run) +
         "</section>\n" + scene_lines(run) + which_engine(run) + machine_lines(run) +
         "</main></body></html>\n";
}

}  // namespace holdfast::shop

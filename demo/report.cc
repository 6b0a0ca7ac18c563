// SPDX-License-Identifier: Apache-2.0

#include "report.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "report_text.h"
#include "strategy.h"

namespace holdfast::demo {
namespace {

constexpr int kBar = 22;

// Returns "4,906".
std::string grouped(long number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

bool wants_colour(std::FILE* out) {
  const auto says = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string_view(value != nullptr ? value : "");
  };
  return isatty(fileno(out)) == 1 && says("NO_COLOR").empty() && says("TERM") != "dumb";
}

}  // namespace

std::string verdict(const SaleResult& sale) {
  const auto sold = static_cast<long>(sale.statistics.sold);
  const bool stopped = sold < sale.stock && sale.statistics.errors == 0;
  if (sale.oversold != 0) return "sold " + grouped(sale.oversold) + " more than it had";
  if (stopped)
    return format("stopped after %g s", std::round(sale.statistics.seconds * 10) / 10);
  if (sale.statistics.errors > 0)
    return "exact; " + grouped(static_cast<long>(sale.statistics.errors)) + " failed";
  return "exact";
}

Narrator::Narrator(std::FILE* out, bool in_mysql)
    : out_(out), in_mysql_(in_mysql), colour_(wants_colour(out)) {}

std::string Narrator::paint(const char* colour, const std::string& text) const {
  return colour_ ? colour + text + kPlain : text;
}

void Narrator::opening(const Options& options, const std::string& engine,
                       const std::vector<std::string>& warnings) {
  const std::string title =
      format("Flash sale: %d items of product 1001, %d shops (processes) x %d threads",
             options.stock, options.shops, options.threads);
  std::fprintf(out_, "%s\nStock in %s; the Holdfast lock in %s.\n",
               paint(kBold, title).c_str(), in_mysql_ ? "MySQL" : "SQLite",
               engine.c_str());
  for (const std::string& warning : warnings) {
    std::fprintf(out_, "Warning: %s\n", warning.c_str());
  }
  std::fprintf(out_, "Sold: %s from the stock, %s beyond it, . not at all\n\n",
               paint(kGreen, "#").c_str(), paint(kRed, "x").c_str());
}

void Narrator::begin_sale(int strategy) {
  const auto& info = strategy_info(static_cast<std::size_t>(strategy), in_mysql_);
  std::fprintf(out_, "%s ",
               paint(kBold, format("%-23s", std::string(info.name).c_str())).c_str());
  std::fflush(out_);
}

// Shows, of all requested purchases, those that left the stock, those that were sold
// without it, and those that failed.
std::string Narrator::bar(const SaleResult& sale) const {
  const auto part = [&](long items) {
    const double share = static_cast<double>(items) / std::max(sale.stock, 1);
    return static_cast<int>(std::lround(share * kBar));
  };
  const auto sold = static_cast<long>(sale.statistics.sold);
  const int all = std::clamp(part(sold), 0, kBar);
  int beyond = std::clamp(part(sale.oversold), 0, all);
  if (sale.oversold > 0) beyond = std::max(beyond, 1);
  const int good = std::max(all - beyond, 0);
  const auto run_of = [](int length, char c) {
    return std::string(static_cast<std::size_t>(std::max(length, 0)), c);
  };
  return paint(kGreen, run_of(good, '#')) + paint(kRed, run_of(beyond, 'x')) +
         run_of(kBar - good - beyond, '.');
}

void Narrator::end_sale(int strategy, const SaleResult& result) {
  const auto& info = strategy_info(static_cast<std::size_t>(strategy), in_mysql_);
  const bool exact = verdict(result).starts_with("exact");
  std::fprintf(out_, "%s  %s\n    %s\n    %s\n", bar(result).c_str(),
               paint(exact ? kGreen : kRed, verdict(result)).c_str(),
               std::string(info.how).c_str(), std::string(info.advice).c_str());
}

void Narrator::price(double us) {
  const std::string time = us < 1      ? format("%.0f ns", us * 1e3)
                           : us < 1000 ? format("%.1f us", us)
                                       : format("%.1f ms", us / 1e3);
  std::fprintf(
      out_,
      "    costs %s for lock and unlock when no other shop wants it, measured now;\n"
      "    gives one holder in all shops (on all hosts, with a server), a token for\n"
      "    each hold, and an end to the hold of a shop that dies\n",
      time.c_str());
}

void Narrator::table(const std::vector<SaleResult>& sales) {
  const std::string head =
      format("%-23s %6s %6s %6s %6s %6s %6s %5s %8s", "times in ms", "avg", "median",
             "p95", "p99", "max", "/s", "left", "oversold");
  std::fprintf(out_, "\n%s\n", paint(kBold, head).c_str());
  for (std::size_t i = 0; i < sales.size(); ++i) {
    const Statistics& s = sales[i].statistics;
    std::fprintf(
        out_, "%-23s %6s %6s %6s %6s %6s %6.0f %5d %s\n",
        std::string(strategy_info(i, in_mysql_).name).c_str(),
        milliseconds(s.average).c_str(), milliseconds(s.median).c_str(),
        milliseconds(s.p95).c_str(), milliseconds(s.p99).c_str(),
        milliseconds(s.max).c_str(), s.throughput, sales[i].stock_left,
        paint(sales[i].oversold == 0 ? kGreen : kRed, format("%8ld", sales[i].oversold))
            .c_str());
  }
  if (sales[0].oversold == 0 || sales[1].oversold == 0) {
    std::fprintf(out_, "A 0 in the first two rows is luck: run it again.\n");
  }
  std::fprintf(out_, "\n");
}

}  // namespace holdfast::demo

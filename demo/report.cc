#include "report.h"

#include <unistd.h>

#include <cstdlib>

#include "strategy.h"

namespace holdfast::demo {
namespace {

// See https://no-color.org.
bool colours_are_wanted() {
  const char* refused = std::getenv("NO_COLOR");
  return refused == nullptr || *refused == '\0';
}

constexpr const char* kBold = "\033[1m";
constexpr const char* kRed = "\033[31m";
constexpr const char* kGreen = "\033[32m";
constexpr const char* kPlain = "\033[0m";

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// Three digits that matter, in five columns.
std::string milliseconds(double ms) {
  const char* pattern = ms < 10 ? "%.2f" : ms < 100 ? "%.1f" : "%.0f";
  return format(pattern, ms);
}

}  // namespace

Narrator::Narrator(std::FILE* out, bool in_mysql)
    : out_(out),
      in_mysql_(in_mysql),
      colour_(isatty(fileno(out)) == 1 && colours_are_wanted()) {}

std::string Narrator::paint(const char* colour, const std::string& text) const {
  return colour_ ? colour + text + kPlain : text;
}

void Narrator::opening(const Options& options, const std::string& engine) {
  const std::string title =
      format("Flash sale: %d items of product 1001, %d shops (processes) x %d threads",
             options.stock, options.shops, options.threads);
  std::fprintf(
      out_,
      "%s\nStock in %s; the Holdfast lock in %s. Each shop keeps to one core.\n\n",
      paint(kBold, title).c_str(), in_mysql_ ? "MySQL" : "SQLite", engine.c_str());
}

void Narrator::begin_sale(int strategy) {
  const auto& info = strategy_info(static_cast<std::size_t>(strategy), in_mysql_);
  std::fprintf(out_, "  %-23s %-51s ", std::string(info.name).c_str(),
               std::string(info.how).c_str());
  std::fflush(out_);
}

void Narrator::end_sale(const SaleResult& result) {
  std::fprintf(out_, "%5.1f s", result.statistics.seconds);
  if (result.statistics.retries > 0) {
    std::fprintf(out_, ", %zu retries", result.statistics.retries);
  }
  std::fprintf(out_, "\n");
}

void Narrator::table(const std::vector<SaleResult>& sales) {
  const std::string head =
      format("%-23s %7s %5s %6s %5s %5s %5s %5s %5s %5s %5s %4s %8s", "times in ms",
             "samples", "avg", "median", "p90", "p95", "p99", "min", "max", "err %",
             "/s", "left", "oversold");
  std::fprintf(out_, "\n%s\n", paint(kBold, head).c_str());
  for (std::size_t i = 0; i < sales.size(); ++i) {
    const Statistics& s = sales[i].statistics;
    const std::string oversold = format("%8ld", sales[i].oversold);
    std::fprintf(out_, "%-23s %7zu %5s %6s %5s %5s %5s %5s %5s %5.1f %5.0f %4d %s\n",
                 std::string(strategy_info(i, in_mysql_).name).c_str(), s.samples,
                 milliseconds(s.average).c_str(), milliseconds(s.median).c_str(),
                 milliseconds(s.p90).c_str(), milliseconds(s.p95).c_str(),
                 milliseconds(s.p99).c_str(), milliseconds(s.min).c_str(),
                 milliseconds(s.max).c_str(), s.error_percent, s.throughput,
                 sales[i].stock_left,
                 paint(sales[i].oversold == 0 ? kGreen : kRed, oversold).c_str());
  }
  std::fprintf(
      out_,
      "oversold: sales that were confirmed although nothing left the stock for "
      "them.\n");
  if (sales[0].oversold == 0 || sales[1].oversold == 0) {
    std::fprintf(out_, "A 0 in the first two rows is luck: run it again.\n");
  }
  std::fprintf(out_, "\n");
}

void Narrator::begin_crash() {
  std::fprintf(out_, "%s\n", paint(kBold, "A shop is killed with the lock").c_str());
  std::fflush(out_);
}

void Narrator::end_crash(const CrashResult& r) {
  std::fprintf(
      out_,
      "  %d items. After %d sales one shop takes the lock, reads the stock and is "
      "killed with -9\n  before it can write; all others are waiting.\n",
      r.stock, r.sold_before);
  if (r.resumed_ms < 0) {
    std::fprintf(out_, "  %s\n", paint(kRed, "No sale came after that.").c_str());
    return;
  }
  std::fprintf(out_, "  Next sale after %s ms. The other shops sold the last %d.\n",
               milliseconds(r.resumed_ms).c_str(), r.sold_after);
  const std::string verdict = r.exact() ? "Nothing lost, nothing sold twice."
                                        : format("%d left, %ld sold beyond the stock.",
                                                 r.stock_left, r.oversold);
  std::fprintf(out_, "  %s\n\n", paint(r.exact() ? kGreen : kRed, verdict).c_str());
}

void Narrator::closing() {
  std::fprintf(out_,
               "What to try next:\n"
               "  holdfast run stock/1001 -- sleep 60 &   guard any command; then:\n"
               "  holdfast show stock/1001                who holds it, who waits\n"
               "  examples/scoped_lock.cc                 the same in your own code\n");
}

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

#include "report/charts.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/row.h"
#include "report/text.h"

namespace holdfast::shop {
namespace {

std::string strategy_class(const SaleResult& sale) {
  if (sale.oversold > 0) return "bad";
  return sale.strategy->engine.empty() ? "other" : "ours";
}

// One line of a chart: the name, the drawing, and the number with its unit.
std::string line(const SaleResult& sale, const std::string& drawing,
                 const std::string& number) {
  return "<div class=\"line " + strategy_class(sale) + "\"><span class=\"name\">" +
         html_text(sale.strategy->name) + "</span><svg role=\"img\" aria-label=\"" +
         html_text(number) + "\">" + drawing + "</svg><span class=\"value\">" +
         html_text(number) + "</span></div>\n";
}

// A whole logarithmic scale: from one power of ten to another.
class Decades {
 public:
  Decades(double least, double most)
      : first_(static_cast<int>(std::floor(std::log10(least)))),
        last_(std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(most))))) {}

  double percent(double value) const {
    const double at = std::log10(std::max(value, std::pow(10, first_)));
    return 100 * (at - first_) / (last_ - first_);
  }

  std::string grid() const {
    std::string lines;
    for (int power = first_; power <= last_; ++power) {
      const double x = 100.0 * (power - first_) / (last_ - first_);
      lines += printed(
          "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y2=\"100%%\"/>", x, x);
    }
    return lines;
  }

  // Returns the scale itself, as a line of the chart.
  std::string legend() const {
    std::string words;
    for (int power = first_; power <= last_; ++power) {
      const double x = 100.0 * (power - first_) / (last_ - first_);
      const char* anchor = power == first_  ? "start"
                           : power == last_ ? "end"
                                            : "middle";
      words +=
          printed("<text x=\"%.2f%%\" y=\"12\" text-anchor=\"%s\">%s ms</text>", x,
                  anchor, grouped(std::pow(10, power), std::max(0, -power)).c_str());
    }
    return "<div class=\"line scale\"><span class=\"name\"></span><svg "
           "aria-hidden=\"true\">" +
           words + "</svg><span class=\"value\"></span></div>\n";
  }

 private:
  int first_;
  int last_;
};

// Returns a path through what `value` makes of each moment of a strategy, in a square
// of 100 by 100. Many moments are thinned out, and the last one is kept.
std::string path(const std::vector<const Moment*>& moments, double seconds, double most,
                 const std::function<double(const Moment&)>& value) {
  constexpr std::size_t kPoints = 120;
  const std::size_t step = moments.size() / kPoints + 1;
  std::string points;
  for (std::size_t i = 0; i < moments.size(); i += step) {
    const Moment& moment = *moments[i + step < moments.size() ? i : moments.size() - 1];
    points += printed("%s%.2f,%.2f", points.empty() ? "" : " ",
                      seconds > 0 ? 100 * moment.seconds / seconds : 0,
                      100 - 100 * value(moment) / most);
  }
  return points;
}

std::string stock_chart(const Run& run, std::size_t index) {
  const SaleResult& sale = run.sales[index];
  std::vector<const Moment*> moments;
  double seconds = 0;
  double most = std::max(1, run.options.stock);
  for (const Moment& moment : run.moments) {
    if (moment.strategy != index) continue;
    moments.push_back(&moment);
    seconds = std::max(seconds, moment.seconds);
    most = std::max(most, static_cast<double>(moment.sold));
  }
  const auto draw = [&](const char* kind,
                        const std::function<double(const Moment&)>& f) {
    return std::string("<polyline class=\"") + kind + "\" points=\"" +
           path(moments, seconds, most, f) + "\"/>";
  };
  const std::string outcome =
      sale.oversold > 0
          ? grouped(static_cast<double>(sale.oversold)) + " items oversold"
      : sale.load.cut ? "cut: " + grouped(sale.left) + " items left"
                      : "not oversold";
  return "<figure class=\"small " + strategy_class(sale) + "\"><figcaption><b>" +
         html_text(sale.strategy->name) + "</b><span>" + outcome +
         "</span></figcaption><svg viewBox=\"0 0 100 100\" "
         "preserveAspectRatio=\"none\" "
         "role=\"img\" aria-label=\"" +
         html_text(sale.strategy->name) + ": " + outcome + "\">" +
         draw("left", [](const Moment& m) { return m.left; }) +
         draw("sold", [](const Moment& m) { return static_cast<double>(m.sold); }) +
         "</svg><p><span>0 s</span><span>" + grouped(seconds, 1) +
         " s</span></p></figure>\n";
}

}  // namespace

std::string throughput_chart(const Run& run) {
  double most = 1;
  for (const SaleResult& sale : run.sales)
    most = std::max(most, sale.load.per_second());
  std::string lines;
  for (const SaleResult& sale : run.sales) {
    const double rate = sale.load.per_second();
    lines += line(sale,
                  printed("<rect class=\"bar\" y=\"3\" height=\"12\" rx=\"2\" "
                          "width=\"%.2f%%\"/>",
                          100 * rate / most),
                  grouped(rate) + " /s");
  }
  return "<div class=\"chart\">\n" + lines + "</div>\n";
}

std::string latency_chart(const Run& run) {
  double least = 1e9;
  double most = 0.001;
  for (const SaleResult& sale : run.sales) {
    const Row row = row_of(sale, run.options.users);
    if (row.median > 0) least = std::min(least, row.median);
    most = std::max(most, row.p99);
  }
  if (least > most) return "";  // There was no answer at all.
  const Decades scale(least, most);
  std::string lines = scale.legend();
  for (const SaleResult& sale : run.sales) {
    const Row row = row_of(sale, run.options.users);
    const double from = scale.percent(row.median);
    const double to = scale.percent(row.p99);
    lines += line(
        sale,
        scale.grid() +
            printed("<line class=\"range\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"9\" "
                    "y2=\"9\"/><circle class=\"median\" cx=\"%.2f%%\" cy=\"9\" "
                    "r=\"4\"/><circle class=\"p90\" cx=\"%.2f%%\" cy=\"9\" r=\"3\"/>"
                    "<circle class=\"p99\" cx=\"%.2f%%\" cy=\"9\" r=\"4\"/>",
                    from, to, from, scale.percent(row.p90), to),
        ms_text(row.median) + " – " + ms_text(row.p99) + " ms");
  }
  return "<div class=\"chart\">\n" + lines + "</div>\n";
}

std::string stock_charts(const Run& run) {
  std::string figures;
  for (std::size_t i = 0; i < run.sales.size(); ++i) figures += stock_chart(run, i);
  return "<div class=\"smalls\">\n" + figures + "</div>\n";
}

}  // namespace holdfast::shop

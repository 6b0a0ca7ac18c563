// SPDX-License-Identifier: Apache-2.0

// bench/report.h - the results, as a table while they come and as JSON at the end.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

// A target is what a figure is compared with. `count` targets hold on every machine;
// `time` targets are ratios within one run and are only reported.
struct Target {
  enum class Sort { count, time } sort;
  enum class Sense { at_least, at_most } sense;
  double bound;

  static Target count_at_most(double b) { return {Sort::count, Sense::at_most, b}; }
  static Target time_at_most(double b) { return {Sort::time, Sense::at_most, b}; }
  static Target time_at_least(double b) { return {Sort::time, Sense::at_least, b}; }
  bool met_by(double value) const {
    return sense == Sense::at_least ? value >= bound : value <= bound;
  }
};

struct Result {
  std::string workload;
  std::string subject;
  double value = 0;
  std::string unit;
  std::optional<Target> target = std::nullopt;
};

// One cell of a wide row, under the heading that names its unit.
struct Figure {
  std::string unit;
  double value;
};

// Spells a number for a row's text, such as "100,000".
std::string spell_number(std::int64_t number);

class Report {
 public:
  void add(Result result);  // It prints its line at once.

  // Prints all the figures of one subject on a line. In the JSON each is a result.
  void add_row(const std::string& workload, const std::string& subject,
               const std::vector<Figure>& row);
  void skip(const std::string& workload, const std::string& why);
  void leave_out(const std::string& workload, const std::string& rival);  // It says so.

  bool every_count_met() const;
  bool skipped_some() const { return skipped_; }
  void write_json(const std::string& path, const std::string& engine) const;

 private:
  void print_heading(const std::string& heading);

  std::vector<Result> results_;
  std::string heading_;  // the last that was printed
  bool skipped_ = false;
};

// Returns the processor, its number of cores and the kernel, in one line.
std::string machine();

// Returns CMake's name for how this program was built. Only a Release build is worth
// being compared.
std::string_view build_type();

}  // namespace holdfast::bench

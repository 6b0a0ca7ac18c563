// SPDX-License-Identifier: Apache-2.0

#include "report.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {
namespace {

// Prints enough digits to compare, and no more.
std::string number(double value) {
  char text[32];
  const double size = value < 0 ? -value : value;
  const char* pattern =
      value == static_cast<double>(static_cast<long long>(value)) || size >= 100
          ? "%.0f"
      : size >= 10  ? "%.1f"
      : size >= 0.1 ? "%.2f"
                    : "%.4f";
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string spell(const Target& target) {
  const bool least = target.sense == Target::Sense::at_least;
  return (least ? ">= " : "<= ") + number(target.bound);
}

}  // namespace

std::string spell_number(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

void Report::print_heading(const std::string& heading) {
  if (heading == heading_) return;
  std::printf("%-12s %-52s%s\n", "workload", "what", heading.c_str());
  heading_ = heading;
}

void Report::add_row(const std::string& workload, const std::string& subject,
                     const std::vector<Figure>& row) {
  std::string heading;
  std::string cells;
  const auto append = [](std::string& line, const std::string& text) {
    line += std::string(std::max<std::size_t>(10, text.size() + 1) - text.size(), ' ');
    line += text;
  };
  for (const Figure& each : row) {
    append(heading, each.unit);
    append(cells, number(each.value));
    results_.push_back({workload, subject, each.value, each.unit});
  }
  print_heading(heading);
  std::printf("%-12s %-52s%s\n", workload.c_str(), subject.c_str(), cells.c_str());
  std::fflush(stdout);
}

void Report::add(Result result) {
  print_heading("        value unit             target   met");
  const auto& target = result.target;
  std::printf("%-12s %-52s %12s %-16s %-8s %s\n", result.workload.c_str(),
              result.subject.c_str(), number(result.value).c_str(), result.unit.c_str(),
              target ? spell(*target).c_str() : "",
              target ? target->met_by(result.value) ? "yes" : "NO" : "");
  std::fflush(stdout);
  results_.push_back(std::move(result));
}

void Report::skip(const std::string& workload, const std::string& why) {
  std::printf("%-12s skipped: %s\n", workload.c_str(), why.c_str());
  skipped_ = true;
}

void Report::leave_out(const std::string& workload, const std::string& rival) {
  std::printf("%-12s LEFT OUT: %s\n", workload.c_str(), rival.c_str());
}

bool Report::every_count_met() const {
  for (const Result& r : results_) {
    const bool binds = r.target && r.target->sort == Target::Sort::count;
    if (binds && !r.target->met_by(r.value)) return false;
  }
  return true;
}

void Report::write_json(const std::string& path, const std::string& engine) const {
  std::ostringstream out;
  out << "{\n  \"engine\": \"" << engine << "\",\n  \"machine\": \"" << machine()
      << "\",\n  \"build\": \"" << build_type() << "\",\n  \"results\": [";
  const char* comma = "\n";
  for (const Result& r : results_) {
    out << comma << "    {\"workload\": \"" << r.workload << "\", \"what\": \""
        << r.subject << "\", \"value\": " << r.value << ", \"unit\": \"" << r.unit
        << '"';
    if (r.target) {
      out << ", \"target\": \"" << spell(*r.target)
          << "\", \"met\": " << (r.target->met_by(r.value) ? "true" : "false");
    }
    out << '}';
    comma = ",\n";
  }
  out << "\n  ]\n}\n";
  std::ofstream file(path);
  file << out.str();
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string machine() {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  utsname kernel = {};
  uname(&kernel);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " cores, Linux " + kernel.release;
}

std::string_view build_type() { return HOLDFAST_BENCH_BUILD; }

}  // namespace holdfast::bench

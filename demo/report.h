// demo/report.h - what the demo says, as text for 100 columns or as one JSON object.

#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "options.h"
#include "sale.h"

namespace holdfast::demo {

struct Report {
  Options options;
  std::vector<SaleResult> sales;  // in the order of kStrategies
  CrashResult crash;
};

// Writes as things happen. Colour only where `out` is a terminal.
class Narrator {
 public:
  Narrator(std::FILE* out, bool in_mysql);
  void opening(const Options& options, const std::string& engine);
  void begin_sale(int strategy);
  void end_sale(const SaleResult& result);
  void table(const std::vector<SaleResult>& sales);
  void begin_crash();
  void end_crash(const CrashResult& result);
  void closing();

 private:
  std::string paint(const char* colour, const std::string& text) const;

  std::FILE* out_;
  bool in_mysql_;
  bool colour_;
};

void print_json(std::FILE* out, const Report& report);

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

// demo/report.h - what the demo says, as text for 80 columns or as one JSON object.

#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "options.h"
#include "sale.h"

namespace holdfast::demo {

struct Report {
  Options options;
  std::vector<std::string> warnings;  // the engine's warnings
  std::vector<SaleResult> sales;      // in the order of kStrategies
  double price_us = 0;                // of lock() and unlock() without contention
  CrashResult crash;
  PauseResult pause;
};

// Returns the result: "exact", "sold 4,906 more than it had", "stopped after 8 s".
std::string verdict(const SaleResult& sale);

// Writes while things happen. Colour is used only if `out` is a terminal with colours,
// and not if the environment has NO_COLOR.
class Narrator {
 public:
  Narrator(std::FILE* out, bool in_mysql);
  void opening(const Options& options, const std::string& engine,
               const std::vector<std::string>& warnings);
  void begin_sale(int strategy);
  void end_sale(int strategy, const SaleResult& result);
  void table(const std::vector<SaleResult>& sales);
  void price(double us);
  void begin_crash();
  void end_crash(const CrashResult& result);
  void begin_pause();
  void end_pause(const PauseResult& result);
  void closing();

 private:
  std::string paint(const char* colour, const std::string& text) const;
  std::string bar(const SaleResult& sale) const;

  std::FILE* out_;
  bool in_mysql_;
  bool colour_;
};

void print_json(std::FILE* out, const Report& report);

}  // namespace holdfast::demo

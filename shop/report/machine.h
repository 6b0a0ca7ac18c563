// SPDX-License-Identifier: Apache-2.0

// shop/report/machine.h - what a run was measured on.

#pragma once

#include <string>

namespace holdfast::shop {

struct Machine {
  std::string processor;  // as in "AMD EPYC 7B13", or empty
  unsigned cores = 0;
  double memory_gib = 0;
  std::string system = {};  // as in "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
  std::string date = {};    // in UTC, as in "2026-11-17 21:30 UTC"
};

Machine this_machine();

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// bench/growth.h - what a grant costs when more clients wait for the lock, and when
// this client holds more locks.

#pragma once

#include <string>
#include <vector>

#include "score.h"
#include "workload.h"

namespace holdfast::bench {

struct Growth {
  Meter meter;
  std::vector<int> clients;  // how many want one lock, each on its own connection
  std::vector<int> held;     // how many other locks the only client holds
};

// Runs at HOLDFAST_URL. The last of each list is compared with the first.
void measure_growth(const Context& context, const Growth& growth, Report& report);

}  // namespace holdfast::bench

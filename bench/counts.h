// SPDX-License-Identifier: Apache-2.0

// bench/counts.h - what one operation costs, for every primitive, in calls of the
// kernel.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "workload.h"

namespace holdfast::bench {

struct Cost {
  std::string_view operation;
  int most_trips;    // the target, on a server
  double trips = 0;  // round trips to a server
  double calls = 0;  // system calls of the calling thread
};

// Returns medians, at HOLDFAST_URL. Nothing means that strace is missing or may not
// trace.
std::optional<std::vector<Cost>> costs(const Context& context);

// Each operation runs so often before it is counted, and so often while it is counted.
inline constexpr int kWarmUps = 3;
inline constexpr int kTurns = 20;

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// bench/requests.h - what one operation costs, for every primitive, in requests to a
// server, by its own count.

#pragma once

#include <span>
#include <string_view>

#include "ground.h"
#include "report.h"

namespace holdfast::bench {

struct Limit {
  std::string_view operation;  // a name from bench/operations.h
  double requests;             // the target
};

// This is the workload "counts".
void count_requests(const Ground& ground, std::span<const Limit> limits,
                    Report& report);

}  // namespace holdfast::bench

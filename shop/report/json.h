// SPDX-License-Identifier: Apache-2.0

// shop/report/json.h - a run as JSON, for --json and for the page.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/run.h"

namespace holdfast::shop {

// Returns `strategies` and `scenes`, which is what --json prints.
std::string result_json(const Run& run);

// Returns what is known before the first sale: command, machine and plan.
std::string run_json(const Run& run);

// Returns the moments from this number on, at most kMomentsAtOnce of them, each as an
// array: strategy, seconds, left, sold, errors, per second, p50, p90, p99, and for
// each service [inside, buying].
inline constexpr std::size_t kMomentsAtOnce = 2000;
std::string moments_json(const Run& run, std::size_t from);

}  // namespace holdfast::shop

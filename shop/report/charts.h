// SPDX-License-Identifier: Apache-2.0

// shop/report/charts.h - the charts of the report, as HTML with SVG in it.
//
// Lengths are percentages, so that a chart is as wide as its place, and its words are
// of the page's size, on a phone, too.

#pragma once

#include <string>

#include "report/run.h"

namespace holdfast::shop {

std::string throughput_chart(const Run& run);  // a bar for each strategy
std::string latency_chart(const Run& run);     // median to p99, on a logarithmic scale
std::string stock_charts(const Run& run);      // what was sold, and what went missing

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/metrics.h"

namespace holdfast::inline v0 {

Metrics::~Metrics() = default;
void Metrics::acquired(std::string_view, std::chrono::nanoseconds) {}
void Metrics::not_acquired(std::string_view, std::error_code) {}
void Metrics::released(std::string_view) {}
void Metrics::expired(std::string_view) {}
void Metrics::lost(std::string_view) {}
void Metrics::renewed(std::size_t, std::chrono::nanoseconds) {}

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

// shop/report/engines.h - "Which engine?", answered with the figures of a run.

#pragma once

#include <string>

#include "report/run.h"

namespace holdfast::shop {

// Returns a section of HTML, or nothing when no engine of Holdfast took part.
std::string which_engine(const Run& run);

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/report/document.h - a run as one page of HTML that needs nothing else.

#pragma once

#include <string>

#include "report/run.h"

namespace holdfast::shop {

// There is no script in it, and nothing in it comes from elsewhere.
std::string report_html(const Run& run);

}  // namespace holdfast::shop

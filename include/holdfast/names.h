// SPDX-License-Identifier: Apache-2.0

// holdfast/names.h - what a resource may be called.

#pragma once

#include <string_view>

#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

inline constexpr std::size_t kMaxNameBytes = 512;

// Checks a name. A name has 1 to 512 bytes of UTF-8 without control characters. It is
// opaque: `/` separates nothing, case counts, and no engine treats two names as one.
// Errc::bad_name: the message says what is wrong and where.
HOLDFAST_EXPORT Result<void> check_name(std::string_view name);

}  // namespace holdfast::inline v0

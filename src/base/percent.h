// SPDX-License-Identifier: Apache-2.0

// base/percent.h - percent-encoding, as in URLs.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::base {

// Returns nothing if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

// Letters, digits, -._~ and the characters in `also_plain` are not encoded.
std::string percent_encode(std::string_view text, std::string_view also_plain = {});

}  // namespace holdfast::base

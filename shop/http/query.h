// SPDX-License-Identifier: Apache-2.0

// shop/http/query.h - the words behind the question mark of a request.
//
//   query_value("/test/lock?client=a%20b", "client");   // "a b"

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::shop {

// Returns the target without its query.
std::string_view path_of(std::string_view target) noexcept;

// Returns the first value of this key, decoded, or nullopt if the query has none. A
// percent sign that does not stand before two hexadecimal digits is taken as it is.
std::optional<std::string> query_value(std::string_view target, std::string_view key);

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// tests/support/etcd_json.h - as much JSON as etcd's gateway uses.
//
// Bytes are in base64, numbers may be in quotes, and no text contains a quote.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::test {

std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);

std::string object(
    std::initializer_list<std::pair<std::string_view, std::string>> fields);

// Returns the value behind the first `"name":`, without quotes, or nothing if there is
// none.
std::optional<std::string> field(std::string_view json, std::string_view name);
// Returns zero if there is none.
std::int64_t number(std::string_view json, std::string_view name);

// Returns the objects in the list of this name; they must not contain objects
// themselves.
std::vector<std::string> items(const std::string& json, std::string_view name);

}  // namespace holdfast::test

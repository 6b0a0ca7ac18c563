// tests/support/etcd_json.h - as much JSON as etcd's gateway speaks.
//
// Bytes are in base64, numbers may be in quotes, and no text has a quote in it.

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

// What stands behind the first `"name":`, without quotes; nothing: there is none.
std::optional<std::string> field(std::string_view json, std::string_view name);
std::int64_t number(std::string_view json, std::string_view name);  // zero: none

// The objects in the list of this name, which contain none.
std::vector<std::string> items(const std::string& json, std::string_view name);

}  // namespace holdfast::test

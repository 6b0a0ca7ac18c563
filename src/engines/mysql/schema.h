// engines/mysql/schema.h - the tables.

#pragma once

#include <string_view>
#include <vector>

namespace holdfast::mysql {

// The script, with a comment for each column: what `holdfast schema mysql` prints.
std::string_view schema() noexcept;

// Its statements, one by one.
std::vector<std::string_view> schema_statements();

}  // namespace holdfast::mysql

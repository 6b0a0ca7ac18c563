// engines/mysql/schema.h - the tables.

#pragma once

#include <string_view>
#include <vector>

namespace holdfast::mysql {

// The statements of the script in engine.h, one by one.
std::vector<std::string_view> schema_statements();

}  // namespace holdfast::mysql

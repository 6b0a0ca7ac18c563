// SPDX-License-Identifier: Apache-2.0

// engines/mysql/schema.h - the tables of the engine.

#pragma once

#include <string_view>
#include <vector>

#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// Returns the statements of the script that engine.h declares, one by one.
std::vector<std::string_view> schema_statements();

// Creates the tables if they are missing.
Result<void> ensure_tables(Pool& pool, engine::Deadline until);

}  // namespace holdfast::mysql

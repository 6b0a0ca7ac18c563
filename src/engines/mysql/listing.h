// SPDX-License-Identifier: Apache-2.0

// engines/mysql/listing.h - lists the names in use, removes those that are not, and
// shows the claims on one name.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/mysql/backend.h"
#include "engines/mysql/name_row.h"

namespace holdfast::mysql {

// These do what engine::Session::list and engine::Session::sweep do.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);
Result<std::uint64_t> sweep_names(Backend& backend, std::chrono::seconds unused_for,
                                  engine::Deadline until);

// Returns the first `limit` claims on the name.
Result<std::vector<engine::Entry>> survey_claims(Backend& backend, const NameRow& row,
                                                 std::size_t limit,
                                                 engine::Deadline until);

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

// engines/mysql/listing.h - lists the names in use, and removes those that are not.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "engines/mysql/backend.h"

namespace holdfast::mysql {

// These do what engine::Session::list and engine::Session::sweep do.
Result<engine::Page> list(Backend& backend, std::string_view prefix,
                          std::string_view from, engine::Deadline until);
Result<std::uint64_t> sweep(Backend& backend, std::chrono::seconds unused_for,
                            engine::Deadline until);

}  // namespace holdfast::mysql

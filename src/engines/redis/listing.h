// SPDX-License-Identifier: Apache-2.0

// engines/redis/listing.h - the names that a scan of the database finds, and the claims
// of one name.
//
// Redisson's layouts use the bare name as the key, so a lock is recognized by the shape
// of its value. A counter or a latch is a plain number like many others, so it is not
// listed.

#pragma once

#include <string_view>
#include <vector>

#include "engines/redis/backend.h"

namespace holdfast::redis {

Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

// Reads the answer of a script that surveys the claims of one name.
std::vector<engine::Entry> read_entries(ReplyView rows);

}  // namespace holdfast::redis

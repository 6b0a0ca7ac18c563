// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/listing.h - the names of what is stored, and the claims of one name
// as an observer sees them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/backend.h"

namespace holdfast::zookeeper {

// Does what engine::Session::list does. With ?names=raw the directories are walked.
Result<engine::Page> list_names(Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

// Reads the contents of these children, in the order given, at most `limit`. Children
// that were deleted meanwhile are left out. `watch_first` is a WatchRegistry key for
// the first of them, or zero. The caller fills in which claims are granted.
Result<std::vector<engine::Entry>> read_entries(
    Backend& backend, const std::string& directory,
    const std::vector<std::string>& children, std::size_t limit,
    WatchRegistry::Key watch_first, engine::Deadline until);

}  // namespace holdfast::zookeeper

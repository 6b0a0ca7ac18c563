// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/survey.h - the children of a directory as an observer sees them.

#pragma once

#include <string>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// Reads the contents of these children, in the order given, at most `limit`. Children
// that were deleted meanwhile are left out. `watch_first` is a WatchRegistry key for
// the first of them, or zero. The caller fills in which claims are granted.
Result<std::vector<engine::Entry>> read_entries(
    Backend& backend, const std::string& directory,
    const std::vector<std::string>& children, std::size_t limit,
    WatchRegistry::Key watch_first, engine::Deadline until);

}  // namespace holdfast::zookeeper

// engines/zookeeper/survey.h - the children of a directory as an observer sees them.

#pragma once

#include <string>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// Their contents, in the order given, at most `limit`; those that went meanwhile are
// left out. `watch_first`: a key of Ears for the first of them, or zero. The claims are
// not granted yet.
Result<std::vector<engine::Entry>> read_entries(
    Backend& backend, const std::string& directory,
    const std::vector<std::string>& children, std::size_t limit,
    WatchRegistry::Key watch_first, engine::Deadline until);

}  // namespace holdfast::zookeeper

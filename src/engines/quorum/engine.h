// engines/quorum/engine.h - a lock is held by whom a majority of the nodes says so.
//
// Each node is an engine of its own, and none knows of the others.

#pragma once

#include <memory>
#include <vector>

#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Errc::bad_url: fewer than three.
Result<std::unique_ptr<engine::Engine>> make_engine(
    std::vector<std::unique_ptr<engine::Engine>> nodes);

}  // namespace holdfast::quorum

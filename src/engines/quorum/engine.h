// SPDX-License-Identifier: Apache-2.0

// engines/quorum/engine.h - a claim is held while a majority of the nodes has granted
// it.
//
// Each node is an engine of its own, and the nodes do not know of each other.

#pragma once

#include <memory>
#include <vector>

#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Errc::bad_url means that there are fewer than three nodes.
Result<std::unique_ptr<engine::Engine>> make_engine(
    std::vector<std::unique_ptr<engine::Engine>> nodes);

}  // namespace holdfast::quorum

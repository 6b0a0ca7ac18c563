// SPDX-License-Identifier: Apache-2.0

// engines/quorum/listing.h - merges what the nodes report to observers.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "engines/quorum/backend.h"
#include "engines/quorum/node_resource.h"

namespace holdfast::quorum {

// Returns the claims that a majority of the nodes has in common, at most `limit`.
Result<std::vector<engine::Entry>> survey(const Backend& backend,
                                          const std::shared_ptr<NodeResource>& resource,
                                          std::size_t limit, engine::Deadline until);

// Returns the names that the nodes list, each once, as one page.
Result<engine::Page> list_names(const Backend& backend, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

}  // namespace holdfast::quorum

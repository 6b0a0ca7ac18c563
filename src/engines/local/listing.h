// SPDX-License-Identifier: Apache-2.0

// engines/local/listing.h - what is in a segment: its names, and the claims on one
// name.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engines/local/bound_record.h"

namespace holdfast::local {

// Session::list explains this. `from` is the index of the block to start at.
Result<engine::Page> list_names(ProcessSlot& process, std::string_view prefix,
                                std::string_view from, engine::Deadline until);

// Returns how observers see the owner of a claim.
std::string owner_of(const Segment& segment, SlotIndex slot, std::uint64_t ticket);

// Returns the first `limit` claims in the order of the queue, the holders first.
Result<std::vector<engine::Entry>> survey_claims(BoundRecord& record, std::size_t limit,
                                                 engine::Deadline until);

}  // namespace holdfast::local

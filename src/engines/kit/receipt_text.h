// SPDX-License-Identifier: Apache-2.0

// engines/kit/receipt_text.h - what the record of a receipt says, where it is text.
//
//   17        the change with ticket 17 was made last, and erased the register
//   17 42     the same; the register then held 42

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"

namespace holdfast::kit {

// `ticket` is spelt as the engine does it.
std::string receipt_text(std::string ticket, std::optional<std::int64_t> number);

// Returns the register after the change with this ticket, or nothing if the record is
// of another change. `version` is that of the record, and of the register, since one
// step wrote both.
std::optional<engine::Value> read_receipt_text(std::string_view text,
                                               std::string_view ticket,
                                               std::uint64_t version);

}  // namespace holdfast::kit

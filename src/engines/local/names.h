// SPDX-License-Identifier: Apache-2.0

// engines/local/names.h - maps a name to its record.

#pragma once

#include <algorithm>
#include <string_view>

#include "engines/local/memory/segment.h"

namespace holdfast::local {

// A RecordRef says where a record was when its name was looked up. Unused records are
// given to other names; the generation then no longer fits, and the name is looked up
// again.
struct RecordRef {
  BlockIndex record = 0;
  std::uint32_t generation = 0;
};

// Finds the record of `name` or creates one.
Result<RecordRef> find_name(Segment& segment, std::string_view name, SessionId me,
                            engine::Deadline until);

inline std::string_view name_of(const Record& record) noexcept {
  const bool is_long = record.block.shape.load() == Shape::long_record;
  const std::size_t room =
      units_of(is_long ? Shape::long_record : Shape::record) * kUnitBytes - kNameOffset;
  return {record.name, std::min<std::size_t>(record.name_bytes, room)};
}

}  // namespace holdfast::local

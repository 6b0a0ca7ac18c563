// engines/local/names.h - from a name to its record.

#pragma once

#include <algorithm>
#include <string_view>

#include "engines/local/segment.h"

namespace holdfast::local {

// Where a record was when it was looked up. Records that nobody uses are given to other
// names; then the generation no longer fits, and one looks again.
struct Spot {
  Unit record = 0;
  std::uint32_t generation = 0;
};

// Finds the record of `name` or makes one.
Result<Spot> find_name(Segment& segment, std::string_view name, SessionId me,
                       engine::Deadline deadline);

inline std::string_view name_of(const Record& record) noexcept {
  const bool is_long = record.block.shape.load() == Shape::long_record;
  const std::size_t room =
      units_of(is_long ? Shape::long_record : Shape::record) * kUnitBytes - kNameOffset;
  return {record.name, std::min<std::size_t>(record.name_bytes, room)};
}

}  // namespace holdfast::local

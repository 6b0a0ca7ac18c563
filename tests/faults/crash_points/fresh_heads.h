// SPDX-License-Identifier: Apache-2.0

// tests/faults/crash_points/fresh_heads.h - makes every head of a queue begin to wait
// now, so that the next release frees the lock and does not hand it over.

#pragma once

#include <string>

#include "engines/local/barging.h"
#include "engines/local/memory/heap.h"

namespace holdfast::test {

inline void make_heads_fresh(const std::string& path) {
  const auto segment = local::Segment::open({path, {}}).value();
  local::Heap(*segment).each([&](local::BlockIndex index, local::Block& block) {
    if (!is_record(block.shape.load())) return;
    segment->at<local::Record>(index).head_since.store(local::boot_time_us());
  });
}

}  // namespace holdfast::test

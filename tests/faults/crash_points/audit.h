// SPDX-License-Identifier: Apache-2.0

// tests/faults/crash_points/audit.h - checks that every block of a segment is
// where it belongs.

#pragma once

#include <string>

#include "engines/local/memory/segment.h"

namespace holdfast::test {

// Returns the first fault that it finds, or an empty text if there is none. REQUIRES:
// no process changes the segment meanwhile.
std::string audit(local::Segment& segment);

}  // namespace holdfast::test

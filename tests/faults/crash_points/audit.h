// tests/faults/crash_points/audit.h - is every block of a segment where it belongs?

#pragma once

#include <string>

#include "engines/local/segment.h"

namespace holdfast::test {

// Empty: all is well. REQUIRES: nobody changes the segment meanwhile.
std::string audit(local::Segment& segment);

}  // namespace holdfast::test

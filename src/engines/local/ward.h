// engines/local/ward.h - claims that outlive their process for as long as a descriptor
// is open somewhere.
//
// `holdfast run` hands such a descriptor to its command: an OFD lock on one byte of the
// segment, far behind its end, which the kernel drops when the last copy is closed. So
// the lock does not pass on while any process of the command is alive, even if its
// supervisor was killed.

#pragma once

#include "engines/local/segment.h"

namespace holdfast::local {

// A new descriptor that guards the claims of `slot`. The caller closes it.
Result<int> open_ward(const Segment& segment, SlotIndex slot);

// Whether any process still has such a descriptor open.
bool ward_open(const Segment& segment, SlotIndex slot) noexcept;

// Whether nobody is left to whom the claims of `slot` belong.
bool claims_ended(const Segment& segment, SlotIndex slot) noexcept;

}  // namespace holdfast::local

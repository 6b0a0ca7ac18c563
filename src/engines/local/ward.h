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
bool claims_of_slot_ended(const Segment& segment, SlotIndex slot) noexcept;

// The same of one session, also when its slot is another's by now.
bool claims_ended(const Segment& segment, SessionId session) noexcept;

// Says, for as long as the segment is open here, that a session of this boot uses it.
Result<void> show_presence(const Segment& segment);

// Whether another session of this boot uses the segment, or a ward is open. Told by the
// kernel's locks on the file, so that nothing that was written into it can deceive.
Result<bool> others_present(const Segment& segment);

}  // namespace holdfast::local

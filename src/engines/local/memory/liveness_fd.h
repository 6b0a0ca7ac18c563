// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/liveness_fd.h - lets claims outlive their process as long as a
// descriptor is open in any process.
//
// `holdfast run` passes such a descriptor to its command: an OFD lock on one byte of
// the segment, far behind its end, which the kernel drops when the last copy is closed.
// So the lock is not granted to another client while any process of the command is
// alive, even if its supervisor was killed.

#pragma once

#include "engines/local/memory/segment.h"

namespace holdfast::local {

// Returns a new descriptor that keeps the claims of `slot` alive. The caller closes it.
Result<int> open_liveness_fd(const Segment& segment, SlotIndex slot);

// Returns whether any process still has such a descriptor open.
bool liveness_fd_open(const Segment& segment, SlotIndex slot) noexcept;

// Returns whether the claims of `slot` have no living owner: its process has ended, and
// no liveness descriptor is open.
bool claims_of_slot_ended(const Segment& segment, SlotIndex slot) noexcept;

// Returns the same for one session, even when its slot belongs to another session by
// now.
bool claims_ended(const Segment& segment, SessionId session) noexcept;

// Marks the segment as used by a session of this boot, for as long as it is open here.
Result<void> show_presence(const Segment& segment);

// Returns whether another session of this boot uses the segment, or a liveness
// descriptor is open. The kernel's locks on the file tell this, so that bytes in the
// file cannot deceive.
Result<bool> others_present(const Segment& segment);

}  // namespace holdfast::local

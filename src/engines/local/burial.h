// engines/local/burial.h - cleans up after a session that has ended.

#pragma once

#include "engines/local/segment.h"

namespace holdfast::local {

// Ends the claims and watches of `slot`, whose session has ended, grants the claims
// that come next, and frees the slot. No other code frees a slot: even a session that
// ends in good order leaves its slot to this function. Returns false if another process
// is stuck inside a record; the call must then be repeated. Every step is idempotent,
// so a burial that a crash cut short is repeated too.
bool bury(Segment& segment, SlotIndex slot, SessionId me) noexcept;

// Buries every session whose process has ended. Returns true if some have ended but
// could not be buried yet, because a ward is open or a process is stuck.
bool bury_the_dead(Segment& segment, SessionId me) noexcept;

}  // namespace holdfast::local

// engines/local/burial.h - ending what belonged to a session that is no more.

#pragma once

#include "engines/local/segment.h"

namespace holdfast::local {

// Ends the claims and watches of `slot`, whose session has ended, lets in whoever is
// next, and frees the slot. Nobody else ever does: not even a session that ends in good
// order frees its own. False: somebody is stuck inside a record; to be repeated. A
// burial that was cut short by a crash is repeated too: every step of it may be.
bool bury(Segment& segment, SlotIndex slot, SessionId me) noexcept;

// The same for every session whose process has ended. True: some are ended but could
// not be buried yet, because a ward is open or somebody is stuck.
bool bury_the_dead(Segment& segment, SessionId me) noexcept;

}  // namespace holdfast::local

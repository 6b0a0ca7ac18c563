// SPDX-License-Identifier: Apache-2.0

// engines/local/reaper.h - cleans up after a session that has ended.

#pragma once

#include "engines/local/memory/segment.h"

namespace holdfast::local {

// Ends the claims and watches of `slot`, whose session has ended, grants the claims
// that come next, and frees the slot. No other code frees a slot: even a session that
// ends in good order leaves its slot to this function. Returns false if another process
// is stuck inside a record; the call must then be repeated. Every step is idempotent,
// so a call that a crash cut short is repeated, too.
bool reap(Segment& segment, SlotIndex slot, SessionId me) noexcept;

// Reaps every session whose process has ended. Returns true if some have ended but
// could not be reaped yet, because a liveness descriptor is open or a process is stuck.
bool reap_ended_sessions(Segment& segment, SessionId me) noexcept;

}  // namespace holdfast::local

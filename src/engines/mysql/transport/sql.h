// engines/mysql/transport/sql.h - every statement of this engine.
//
// Each is complete in itself and committed by itself: no lock of the database is held
// from one round trip to the next, so a client that stops stops nobody.

#pragma once

#include <string>

#include "engines/mysql/transport/statement.h"

namespace holdfast::mysql::sql {

// Names.
extern const Sql kFind;   // name -> id, kind, whether it is in use, epoch
extern const Sql kMake;   // name, kind
extern const Sql kAdapt;  // kind, id, the kind before: if it is not in use

// A mutex: in the row of its name. The bell is taken with it, or not asked for.
extern const Sql kTake;  // -> matched, id = the token; see lock.cc
extern const Sql kTakeSilently;
extern const Sql kReadRow;  // id -> owner, left, token, kind, epoch, not released
extern const Sql kRelease;  // id, owner, bell
extern const Sql kReleaseSilently;  // id, owner
extern const Sql kReleaseInDoubt;   // owner, id: and what comes later is late
extern const Sql kRenew;            // lease, id, owner
extern const Sql kRename;           // lease, holder, id, owner
extern const Sql kHolder;           // name -> as kClaims

// A queue: a row for each state.
extern const Sql kEnter;  // see queue.cc
extern const Sql kEnterSilently;
extern const Sql kQueue;           // id -> resource and claims, in order
extern const Sql kQueueCommitted;  // the same, after all changes that are under way
extern const Sql
    kGrant;  // fence, token, lease, resource, fence and version as seen, id
extern const Sql kGrantAll;         // own id, resource, parties as seen, fence, token,
                                    // resource, fence and version as seen
extern const Sql kNextEpoch;        // id
extern const Sql kPurge;            // resource: those whose time is over
extern const Sql kRenewWaiter;      // lease, resource, id
extern const Sql kRenewClaim;       // lease, resource, id, owner
extern const Sql kAmendClaim;       // mode, permits, holder, bell, lease, resource, id,
                                    // owner, mode, permits
extern const Sql kLeave;            // resource, owner, bell
extern const Sql kLeaveSilently;    // resource, owner
extern const Sql kHide;             // resource, owner: and those whose time is over
extern const Sql kEvictDeadWaiter;  // lease, resource, id: if it only waits
extern const Sql kClaims;  // name, kind, limit -> owner, holder, mode, permits,
                           // granted, token, since, left

// Bells.
extern const Sql kWaitForBell;    // bell, seconds -> 1: ours
extern const Sql kWaitAndPassOn;  // bell, seconds, bell -> 1: it was free, and is again
extern const Sql kReleaseBell;    // bell
extern const Sql kHasLock;        // bell -> 1: it is this connection's
extern const Sql kWhoHasLock;     // bell -> a connection's number

// Numbers.
extern const Sql kLoad;               // name -> id, kind, value, version
extern const Sql kChange;             // value, version, id, kind, version as seen
extern const Sql kChangeWithReceipt;  // see registers.cc
extern const Sql kMakeReceipt;        // client, slot
extern const Sql kReceipt;            // client, slot -> ticket, number, version

// Observers and operators.
extern const Sql kStamp;  // name -> a text that changes when something does
extern const Sql kList;   // from, prefix, its length, prefix, limit -> name, kind
extern const Sql kEvict;  // name, owner
extern const Sql kEvictClaim;
// Which of these rows still belong to a claim; `ids` are numbers with commas between.
std::string owners_of_rows(const std::string& ids);
std::string owners_of_claims(const std::string& ids);

// What is left behind: looked for without a lock, then removed one by one.
extern const Sql kUnused;          // seconds -> id
extern const Sql kRemove;          // id, seconds
extern const Sql kOrphans;         // seconds -> resource, for kPurge
extern const Sql kOldReceipts;     // seconds -> client
extern const Sql kRemoveReceipts;  // client, seconds

}  // namespace holdfast::mysql::sql

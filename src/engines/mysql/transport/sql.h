// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/sql.h - every statement of this engine.
//
// Each statement is a transaction of its own. No lock of the database is held from one
// round trip to the next, so a client that stops does not stop others. A comment says
// which values a statement takes and, after the arrow, what it returns.

#pragma once

#include <string>

#include "engines/mysql/transport/statement.h"

namespace holdfast::mysql::sql {

// Names.
extern const Sql kFind;   // name -> id, kind, whether it is in use, epoch
extern const Sql kMake;   // name, kind
extern const Sql kAdapt;  // kind, id, the kind before: unless it is in use

// A mutex is the row of its name. A statement that is called silent does not touch the
// bell.
extern const Sql kTake;  // see LockClaimState::add_to; bell -> the token, as id
extern const Sql kTakeSilently;
extern const Sql kReadRow;  // id -> owner, left, token, kind, epoch, not released
extern const Sql kRelease;  // id, owner, bell
extern const Sql kReleaseSilently;  // id, owner
extern const Sql kReleaseInDoubt;   // owner, id: begins a new epoch
extern const Sql kRenew;            // lease, id, owner
extern const Sql kRename;           // lease, holder, id, owner
extern const Sql kHolder;           // name -> as kClaims

// A queue has a row for each claim.
extern const Sql kEnter;  // see QueueResource::enter_by
extern const Sql kEnterSilently;
extern const Sql kQueue;           // id -> resource and claims, in order
extern const Sql kQueueCommitted;  // the same, after the changes that are under way
extern const Sql
    kGrant;  // fence, token, lease, resource, fence and version as seen, id
extern const Sql kGrantAll;       // own id, resource, parties as seen, fence, token,
                                  // resource, fence and version as seen
extern const Sql kNextEpoch;      // id
extern const Sql kPurge;          // resource: removes the claims whose time is over
extern const Sql kRenewWaiter;    // lease, resource, id
extern const Sql kRenewClaim;     // lease, resource, id, owner
extern const Sql kAmendClaim;     // mode, permits, holder, bell, lease, resource, id,
                                  // owner, mode, permits
extern const Sql kLeave;          // resource, owner, bell
extern const Sql kLeaveSilently;  // resource, owner
extern const Sql kHide;           // resource, owner: also removes what kPurge does
extern const Sql kShortenWaiterLease;  // lease, resource, id: unless it is granted
extern const Sql kClaims;  // name, kind, limit -> owner, holder, mode, permits,
                           // granted, token, since, left

// Statements on bells.
extern const Sql kWaitForBell;        // bell, seconds -> 1: this connection has it
extern const Sql kTakeOrWaitForBell;  // bell, bell, seconds -> 2: it was free; 1: it
                                      // was waited for; this connection has it
extern const Sql kWaitAndPassOn;      // bell, seconds, bell -> 1: it is free
extern const Sql kReleaseBell;        // bell
extern const Sql kHasLock;            // bell -> 1: this connection has it
extern const Sql kWhoHasLock;         // bell -> the number of a connection

// Numbers.
extern const Sql kLoad;               // name -> id, kind, value, version
extern const Sql kChange;             // value, version, id, kind, version as seen
extern const Sql kChangeWithReceipt;  // see Register::update_with
extern const Sql kMakeReceipt;        // client, slot
extern const Sql kReceipt;            // client, slot -> ticket, number, version

// Observers and operators.
extern const Sql kStamp;  // name -> a text that changes when something does
extern const Sql kList;   // from, prefix, its length, prefix, limit -> name, kind
extern const Sql kEvict;  // name, owner
extern const Sql kEvictClaim;
// These ask which of the rows still belong to a claim; `ids` are numbers with commas
// between them.
std::string owners_of_rows(const std::string& ids);
std::string owners_of_claims(const std::string& ids);

// What clients leave behind is looked for without a lock and removed row by row.
extern const Sql kUnused;          // seconds -> id
extern const Sql kRemove;          // id, seconds
extern const Sql kOrphans;         // seconds -> resource, for kPurge
extern const Sql kOldReceipts;     // seconds -> client
extern const Sql kRemoveReceipts;  // client, seconds

}  // namespace holdfast::mysql::sql

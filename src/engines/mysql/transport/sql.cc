// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/sql.h"

namespace holdfast::mysql::sql {

#define NOW "UTC_TIMESTAMP(6)"
#define IN_MICROSECONDS NOW " + INTERVAL ? MICROSECOND"
#define LEFT_OF(time) "TIMESTAMPDIFF(MICROSECOND, " NOW ", " time ")"
#define EPOCH_OF(time) "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " time ")"
#define CLOCK EPOCH_OF(NOW)
#define RELEASED "'2000-01-01'"
#define IS_IDLE                                                                     \
  "r.expires_at <= " NOW                                                            \
  " AND r.value IS NULL AND NOT EXISTS "                                            \
  "(SELECT 1 FROM holdfast_claim c WHERE c.resource = r.id AND c.expires_at > " NOW \
  ")"

const Sql kFind{"SELECT id, kind + 0, NOT (" IS_IDLE
                "), epoch FROM holdfast_resource r WHERE name = ?",
                "nnnn"};
const Sql kMake{
    "INSERT IGNORE INTO holdfast_resource (name, kind, fence, version, used_at) "
    "VALUES (?, ?, " CLOCK ", " CLOCK ", " NOW ")"};
const Sql kAdapt{
    "UPDATE holdfast_resource r SET kind = ? WHERE id = ? AND kind + 0 = ? "
    "AND " IS_IDLE};

// The server makes assignments from left to right. A token is larger than all before
// it, even if the last of them were lost with a server, unless its clock was set back.
// A row keeps its length as long as the same client takes it again.
#define TAKE                                                                         \
  "UPDATE holdfast_resource SET "                                                    \
  "token = LAST_INSERT_ID(GREATEST(fence + 1, " CLOCK                                \
  ")), fence = token + ?, since = " NOW ", owner = ?, expires_at = " IN_MICROSECONDS \
  ", holder = ?, host = ?, thread = ?, `function` = ?, description = ?, "            \
  "epoch = ? WHERE id = ? AND kind = 'mutex' AND epoch = ? AND expires_at <= " NOW
const Sql kTake{TAKE " AND GET_LOCK(?, 0) = 1"};
const Sql kTakeSilently{TAKE};
const Sql kReadRow{"SELECT owner, " LEFT_OF("expires_at") ", token, kind + 0, epoch, "
                "expires_at > " RELEASED " FROM holdfast_resource WHERE id = ?",
                "tnnnnn"};

#define BY_OWNER " WHERE id = ? AND owner = ? AND expires_at > " RELEASED
#define RELEASE "UPDATE holdfast_resource SET expires_at = " RELEASED BY_OWNER
const Sql kRelease{RELEASE " AND COALESCE(RELEASE_LOCK(?), 0) >= 0"};
const Sql kReleaseSilently{RELEASE};
const Sql kReleaseInDoubt{
    "UPDATE holdfast_resource SET epoch = epoch + 1, "
    "expires_at = IF(owner = ?, " RELEASED ", expires_at) WHERE id = ?"};
const Sql kRenew{"UPDATE holdfast_resource SET expires_at = " IN_MICROSECONDS BY_OWNER};
const Sql kRename{"UPDATE holdfast_resource SET expires_at = " IN_MICROSECONDS
                  ", holder = ?" BY_OWNER};
#define CLAIM_COLUMNS \
  "c.owner, c.holder, c.mode + 0, c.permits, c.granted, c.token, " EPOCH_OF( \
      "c.since") ", " LEFT_OF("c.expires_at") ", c.thread, c.`function`, "   \
                                              "c.description"
const Sql kHolder{
    "(SELECT r.owner, r.holder, 1, 1, 1, r.token, " EPOCH_OF("r.since") ", " LEFT_OF(
        "r.expires_at") ", r.thread, r.`function`, r.description "
        "FROM holdfast_resource r "
        "WHERE r.name = ? AND r.kind = 'mutex' AND r.expires_at > " NOW
        ") UNION ALL (SELECT " CLAIM_COLUMNS " FROM holdfast_claim c "
        "JOIN holdfast_resource r ON c.resource = r.id "
        "WHERE r.name = ? AND r.kind = 'mutex' AND c.expires_at > " NOW
        " AND NOT (c.owner = r.owner AND r.expires_at > " NOW ") ORDER BY c.id) LIMIT ?",
    "ttnnnnnnttt"};

#define ENTER                                                                   \
  "INSERT INTO holdfast_claim (resource, owner, mode, permits, bell, since, "   \
  "expires_at, holder, host, thread, `function`, description) "                 \
  "SELECT r.id, ?, ?, ?, ?, " NOW ", " IN_MICROSECONDS                          \
  ", ?, ?, ?, ?, ? FROM holdfast_resource r WHERE r.id = ? AND r.kind + 0 = ? " \
  "AND r.epoch = ?"
#define OR_AS_BEFORE " ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(holdfast_claim.id)"
const Sql kEnter{ENTER " AND GET_LOCK(?, 0) = 1" OR_AS_BEFORE};
const Sql kEnterSilently{ENTER OR_AS_BEFORE};

#define QUEUE                                                                   \
  "SELECT r.fence, r.version, r.value, r.kind + 0, c.id, c.owner, c.mode + 0, " \
  "c.permits, c.granted, c.bell, " LEFT_OF(                                     \
      "c.expires_at") ", c.token, r.epoch, " CLOCK                              \
                      " "                                                       \
                      "FROM holdfast_resource r LEFT JOIN holdfast_claim c ON " \
                      "c.resource = r.id "                                      \
                      "WHERE r.id = ? ORDER BY c.id"
const Sql kNextEpoch{"UPDATE holdfast_resource SET epoch = epoch + 1 WHERE id = ?"};
const Sql kQueue{QUEUE, "nnnnntnnnnnnnn"};
const Sql kQueueCommitted{QUEUE " LOCK IN SHARE MODE", "nnnnntnnnnnnnn"};

#define GRANT(also, lease)                                                      \
  "UPDATE holdfast_resource r JOIN holdfast_claim c ON c.resource = r.id " also \
  "SET r.fence = ?, r.used_at = " NOW                                           \
  ", c.granted = TRUE, c.token = ?, c.since = " NOW lease                       \
  " WHERE r.id = ? AND r.fence = ? AND r.version = ? AND c.granted = FALSE"
const Sql kGrant{GRANT("", ", c.expires_at = " IN_MICROSECONDS) " AND c.id = ?"};
// The claim that grants all must be one of them, and there must be as many as it has
// counted, because in the next round the row may look the same. MySQL cannot read a
// table that it changes, except through a derived table.
const Sql kGrantAll{
    GRANT("JOIN (SELECT COUNT(*) AS parties, SUM(id = ?) AS mine FROM holdfast_claim "
          "WHERE resource = ? AND expires_at > " NOW
          ") seen ON seen.mine = 1 AND seen.parties >= ? ",
          "") " AND c.expires_at > " NOW};
const Sql kPurge{
    "DELETE FROM holdfast_claim WHERE resource = ? AND expires_at <= " NOW};
const Sql kRenewWaiter{"UPDATE holdfast_claim SET expires_at = " IN_MICROSECONDS
                       " WHERE resource = ? AND id = ? AND granted = FALSE"};
const Sql kRenewClaim{"UPDATE holdfast_claim SET expires_at = " IN_MICROSECONDS
                      " WHERE resource = ? AND id = ? AND owner = ? "
                      "AND granted = TRUE AND expires_at > " NOW};
// A claim only becomes smaller. So an earlier change that arrives late would make it
// larger, and has no effect.
const Sql kAmendClaim{
    "UPDATE holdfast_claim SET mode = ?, permits = ?, holder = ?, bell = ?, "
    "expires_at = " IN_MICROSECONDS
    " WHERE resource = ? AND id = ? AND owner = ? AND granted = TRUE "
    "AND expires_at > " NOW " AND mode + 0 <= ? AND permits >= ?"};

#define LEAVE "DELETE FROM holdfast_claim WHERE resource = ? AND owner = ?"
const Sql kLeave{LEAVE " AND COALESCE(RELEASE_LOCK(?), 0) >= 0"};
const Sql kLeaveSilently{LEAVE};
const Sql kHide{
    "DELETE FROM holdfast_claim WHERE resource = ? "
    "AND (owner = ? OR expires_at <= " NOW ")"};
const Sql kShortenWaiterLease{
    "UPDATE holdfast_claim SET expires_at = LEAST(expires_at, " IN_MICROSECONDS
    ") WHERE resource = ? AND id = ? AND granted = FALSE"};
const Sql kClaims{"SELECT " CLAIM_COLUMNS
                  " FROM holdfast_claim c "
                  "JOIN holdfast_resource r ON c.resource = r.id "
                  "WHERE r.name = ? AND r.kind + 0 = ? AND c.expires_at > " NOW
                  " ORDER BY c.id LIMIT ?",
                  "ttnnnnnnttt"};

const Sql kWaitForBell{"SELECT GET_LOCK(?, ?)", "n"};
const Sql kTakeOrWaitForBell{"SELECT IF(GET_LOCK(?, 0) = 1, 2, GET_LOCK(?, ?))", "n"};
const Sql kWaitAndPassOn{"SELECT GET_LOCK(?, ?) = 1 AND RELEASE_LOCK(?) = 1", "n"};
const Sql kHasLock{"SELECT IS_USED_LOCK(?) <=> CONNECTION_ID()", "n"};
const Sql kWhoHasLock{"SELECT IS_USED_LOCK(?)", "n"};
const Sql kReleaseBell{"SELECT RELEASE_LOCK(?)", "n"};

const Sql kLoad{
    "SELECT id, kind + 0, value, version FROM holdfast_resource "
    "WHERE name = ?",
    "nnnn"};
const Sql kChange{"UPDATE holdfast_resource SET value = ?, version = ?, used_at = " NOW
                  " WHERE id = ? AND kind + 0 = ? AND version = ?"};
const Sql kChangeWithReceipt{
    "UPDATE holdfast_resource r JOIN holdfast_mark m ON m.client = ? AND m.slot = ? "
    "SET r.value = ?, r.version = ?, r.used_at = " NOW
    ", m.ticket = ?, m.number = ?, m.version = ?, m.used_at = " NOW
    " WHERE r.id = ? AND r.kind + 0 = ? AND r.version = ? AND m.ticket <> ?"};
const Sql kMakeReceipt{
    "INSERT IGNORE INTO holdfast_mark (client, slot, ticket, version, used_at) "
    "VALUES (?, ?, 0, 0, " NOW ")"};
const Sql kReceipt{
    "SELECT ticket, number, version FROM holdfast_mark "
    "WHERE client = ? AND slot = ?",
    "nnn"};

const Sql kStamp{
    "SELECT CONCAT_WS(' ', r.version, r.fence, COALESCE(r.value, '-'), "
    "IF(r.expires_at > " NOW
    ", r.owner, '-'), COUNT(c.id), SUM(c.granted), SUM(c.permits * c.granted), "
    "MAX(c.id), SUM(c.id), SUM(c.mode + 0)) "
    "FROM holdfast_resource r LEFT JOIN holdfast_claim c ON c.resource = r.id "
    "AND c.expires_at > " NOW " WHERE r.name = ? GROUP BY r.id",
    "t"};
const Sql kList{
    "SELECT name, kind + 0 FROM holdfast_resource r WHERE name > ? AND name >= ? "
    "AND LEFT(name, ?) = ? AND NOT (" IS_IDLE ") ORDER BY name LIMIT ?",
    "tn"};
const Sql kEvict{"UPDATE holdfast_resource SET expires_at = " RELEASED
                 ", epoch = epoch + 1 "
                 "WHERE name = ? AND owner = ? AND expires_at > " NOW};
const Sql kEvictClaim{
    "DELETE c FROM holdfast_claim c JOIN holdfast_resource r ON c.resource = r.id "
    "WHERE r.name = ? AND c.owner = ?"};
std::string owners_of_rows(const std::string& ids) {
  return "SELECT owner FROM holdfast_resource WHERE id IN (" + ids +
         ") AND expires_at > " RELEASED;
}
std::string owners_of_claims(const std::string& ids) {
  return "SELECT owner FROM holdfast_claim WHERE id IN (" + ids + ")";
}
#define UNUSED(time) time " < " NOW " - INTERVAL ? SECOND"
// The tokens of a new row start at the clock, so a row whose last one is ahead of it
// stays.
#define IS_UNUSED \
  IS_IDLE " AND r.fence < " CLOCK " AND " UNUSED("GREATEST(r.used_at, r.since)")
const Sql kUnused{"SELECT id FROM holdfast_resource r WHERE " IS_UNUSED " LIMIT 1000",
                  "n"};
const Sql kRemove{"DELETE r FROM holdfast_resource r WHERE r.id = ? AND " IS_UNUSED};
const Sql kOrphans{
    "SELECT DISTINCT resource FROM holdfast_claim c "
    "WHERE " UNUSED("expires_at") " LIMIT 1000",
    "n"};
const Sql kOldReceipts{
    "SELECT DISTINCT client FROM holdfast_mark "
    "WHERE " UNUSED("used_at") " LIMIT 1000",
    "t"};
const Sql kRemoveReceipts{
    "DELETE FROM holdfast_mark "
    "WHERE client = ? AND " UNUSED("used_at")};

}  // namespace holdfast::mysql::sql

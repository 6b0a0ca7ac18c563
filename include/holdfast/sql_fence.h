// SPDX-License-Identifier: Apache-2.0

// holdfast/sql_fence.h - the check that a row of a database makes.
//
// What a lock protects is often a row. Then the row itself can refuse a holder that
// woke up too late, in your own transaction and in any SQL database: a column beside
// the data remembers the largest token that it has seen.
//
//   ALTER TABLE stock ADD last_fence BIGINT UNSIGNED NOT NULL DEFAULT 0;
//
//   const auto fence = holdfast::SqlFence::of("stock", "id", "last_fence").value();
//
// A change that does not depend on an earlier read is one statement, with the token in
// it twice:
//
//   "UPDATE stock SET count = count - 1, " + fence.assignment() +
//   " WHERE id = ? AND " + fence.condition()
//
//   UPDATE stock SET count = count - 1, last_fence = ? WHERE id = ? AND last_fence <= ?
//                                                token        id                  token
//
// A transaction that reads before it writes shows the token at the *first read*, too:
//
//   BEGIN
//   fence.admission()                              // token, id, token: takes the row
//   SELECT count FROM stock WHERE id = ?
//   UPDATE stock SET count = ? WHERE id = ?
//   COMMIT
//
// It is not enough to fence writes only (docs/guarantees.md shows the schedule), and a
// SELECT remembers nothing. `admission` is an UPDATE, so it locks the row until the end
// of the transaction; the next transaction begins with it again.
//
// If a statement matched no row, stop, roll back, and ask why:
//
//   auto last = ... fence.question() ...           // empty if there is no such row
//   auto why = holdfast::SqlFence::explain_no_match(token, last);  // Errc::stale_token
//
// What counts is the number of rows *matched*. MySQL and MariaDB report how many rows
// were changed, unless the connection was opened with CLIENT_FOUND_ROWS: without it, a
// second `admission` with the same token looks like a refusal.
//
// The limits of such a fence:
//   * One column is for one lock: tokens of two names cannot be compared. A lock over
//     many rows needs the column in each, or one row that all transactions take first.
//   * The token of a shared holder is compared with the largest token of an exclusive
//     holder and not remembered: use `condition` in its SELECT and never `assignment`.
//   * The holders of a semaphore cannot be fenced against each other, and a lock
//     without a token (some `quorum:`, mysql with `?mode=getlock`) cannot be fenced.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

// The pieces of such statements, with a `?` for each value. A SqlFence is immutable.
class HOLDFAST_EXPORT SqlFence {
 public:
  // Makes the pieces for a table, its key column and its token column. The names become
  // part of the statements as they are. Errc::bad_argument: a name has other characters
  // than letters, digits and `_`, begins with a digit, is empty, or has more than 64
  // characters. (Other identifiers would have to be quoted, and every database quotes
  // in its own way.)
  static Result<SqlFence> of(std::string_view table, std::string_view key,
                             std::string_view column);

  // "last_fence = ?", for SET. The value is the token.
  const std::string& assignment() const noexcept { return assignment_; }
  // "last_fence <= ?", for WHERE. The value is the token.
  const std::string& condition() const noexcept { return condition_; }
  // "UPDATE stock SET last_fence = ? WHERE id = ? AND last_fence <= ?". The values are
  // the token, the key and the token.
  const std::string& admission() const noexcept { return admission_; }
  // "SELECT last_fence FROM stock WHERE id = ?". The value is the key.
  const std::string& question() const noexcept { return question_; }

  // Says why a statement matched no row; `last` is the answer to `question`, or nullopt
  // if there was none. Errc::stale_token: the row has seen a larger token. Stop
  // working: the lock is lost. Errc::bad_argument: the token is empty, or there is no
  // such row. Success: the token was not the reason; another condition was not met.
  static Result<void> explain_no_match(FencingToken token,
                                       std::optional<FencingToken> last);

 private:
  SqlFence() = default;

  std::string assignment_;
  std::string condition_;
  std::string admission_;
  std::string question_;
};

}  // namespace holdfast::inline v0

// holdfast/sql_fence.h - the check that a row of a database makes.
//
// What a lock protects is often a row. Then the row itself can turn away a holder that
// woke up too late, in your own transaction and in any SQL database: a column beside
// the data remembers the largest token that was here.
//
//   ALTER TABLE stock ADD last_fence BIGINT UNSIGNED NOT NULL DEFAULT 0;
//
//   const auto fence = holdfast::SqlFence::of("stock", "id", "last_fence").value();
//
// A change that looks at nothing first is one statement, with the token in it twice:
//
//   "UPDATE stock SET count = count - 1, " + fence.assignment() +
//   " WHERE id = ? AND " + fence.condition()
//
//   UPDATE stock SET count = count - 1, last_fence = ? WHERE id = ? AND last_fence <= ?
//                                                token        id                  token
//
// Who reads before he writes shows the token at the *first read*, too:
//
//   BEGIN
//   fence.admission()                              // token, id, token: takes the row
//   SELECT count FROM stock WHERE id = ?
//   UPDATE stock SET count = ? WHERE id = ?
//   COMMIT
//
// Fencing writes only is not enough (docs/guarantees.md shows the schedule), and a
// SELECT remembers nothing. `admission` is an UPDATE, so the row stays yours until the
// end of the transaction; the next transaction begins with it again.
//
// If a statement matched no row, stop, roll back, and ask why:
//
//   auto last = ... fence.question() ...           // empty: there is no such row
//   auto why = holdfast::SqlFence::judge(token, last);      // Errc::stale_token
//
// What counts are rows *matched*. MySQL and MariaDB tell how many were changed, unless
// the connection was made with CLIENT_FOUND_ROWS: without it, `admission` with a token
// that was here before looks like a refusal.
//
// What it cannot do:
//   * One column is for one lock: tokens of two names cannot be compared. A lock over
//     many rows needs the column in each, or one row that everybody takes first.
//   * A shared holder is compared with the largest token of an exclusive one, and not
//     remembered: use `condition` in its SELECT and never `assignment`.
//   * The holders of a semaphore cannot be fenced against each other, and a lock
//     without a token (`quorum:`, mysql with `?mode=getlock`) not at all.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/result.h"

namespace holdfast {

// The pieces of such statements, with a `?` for each value. Immutable.
class HOLDFAST_EXPORT SqlFence {
 public:
  // Errc::bad_argument: a name is not made of letters, digits and `_` alone, or is
  // longer than 64. They become part of the statement as they are: what else an
  // identifier may be must be quoted, and every database quotes in its own way.
  static Result<SqlFence> of(std::string_view table, std::string_view key,
                             std::string_view column);

  // "last_fence = ?", for SET: the token.
  const std::string& assignment() const noexcept { return assignment_; }
  // "last_fence <= ?", for WHERE: the token.
  const std::string& condition() const noexcept { return condition_; }
  // "UPDATE stock SET last_fence = ? WHERE id = ? AND last_fence <= ?": token, key,
  // token.
  const std::string& admission() const noexcept { return admission_; }
  // "SELECT last_fence FROM stock WHERE id = ?": the key.
  const std::string& question() const noexcept { return question_; }

  // Why a row was not matched, when `last` is what `question` answered. Errc::
  // stale_token: a larger token was here. Errc::bad_argument: an empty token, or no
  // such row. Otherwise it was not for the token: another condition was not met.
  static Result<void> judge(FencingToken token, std::optional<FencingToken> last);

 private:
  SqlFence() = default;

  std::string assignment_;
  std::string condition_;
  std::string admission_;
  std::string question_;
};

}  // namespace holdfast

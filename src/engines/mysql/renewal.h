// SPDX-License-Identifier: Apache-2.0

// engines/mysql/renewal.h - renews the leases of one session.

#pragma once

#include <span>
#include <unordered_set>

#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

class Backend;

// Does what engine::Session::renew does. Every claim is renewed by a statement of its
// own, on the connection that has its bell, so that the renewal keeps that connection
// alive, too. A row that another client has locked, or a connection that does not
// answer, must not cost the other claims their time. So each claim is tried once and
// gets half of the time that is left, and a claim that could not be renewed comes last
// the next time.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

// The claims of a session that could not be renewed the last time. The class is safe
// for concurrent use.
class SlowClaims {
 public:
  bool has(engine::Ticket ticket) const;
  void note(engine::Ticket ticket, bool slow);

 private:
  mutable base::Mutex mutex_;
  std::unordered_set<engine::Ticket> tickets_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::mysql

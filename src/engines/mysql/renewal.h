// SPDX-License-Identifier: Apache-2.0

// engines/mysql/renewal.h - renews the leases of one session.

#pragma once

#include <span>
#include <unordered_set>

#include "base/mutex.h"
#include "engines/mysql/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

// Every claim is renewed by a statement of its own, on the connection that has its
// bell, so that the renewal keeps that connection alive, too. A row that another client
// has locked, or a connection that does not answer, must not cost the other claims
// their time. So each claim is tried once and gets half of the time that is left, and a
// claim that could not be renewed comes last the next time.
//
// The class is safe for concurrent use.
class Renewal {
 public:
  explicit Renewal(Backend& backend) : backend_(backend) {}

  // Sets the outcome of each claim, as engine::Session::renew does.
  void renew_all(std::span<engine::ClaimRef> refs, engine::Deadline until);

 private:
  void renew_one(engine::ClaimRef& ref, engine::Deadline until);
  bool was_slow(const engine::ClaimRef* ref) const;
  void note(const engine::ClaimRef& ref, bool slow);

  Backend& backend_;
  mutable base::Mutex mutex_;
  // These could not be renewed the last time.
  std::unordered_set<engine::Ticket> slow_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::mysql

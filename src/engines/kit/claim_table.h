// SPDX-License-Identifier: Apache-2.0

// engines/kit/claim_table.h - what an engine knows of the claims of one resource.
//
//   kit::ClaimTable<ClaimState, HeldClaim> claims;
//   const auto state = claims.find_or_add(claim.ticket);      // attempt
//   claims.publish(claim.ticket, HeldClaim{...});             // it is granted
//   const auto held = claims.held(claim.ticket);              // renew, meanwhile

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::kit {

// A `State` belongs to the calls for its ticket, which come one after another, so it is
// used without a lock. `renew` may come at the same time: it sees a copy of `Held`, as
// it was when the claim was last published. The table is safe for concurrent use.
template <class State, class Held>
class ClaimTable {
 public:
  std::shared_ptr<State> find(engine::Ticket ticket) const {
    base::MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    return found != rows_.end() ? found->second.state : nullptr;
  }

  std::shared_ptr<State> find_or_add(engine::Ticket ticket, State fresh = {}) {
    base::MutexLock lock(mutex_);
    auto& state = rows_[ticket].state;
    if (state == nullptr) state = std::make_shared<State>(std::move(fresh));
    return state;
  }

  void erase(engine::Ticket ticket) noexcept {
    Row last;  // destroyed without the mutex
    base::MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end()) return;
    last = std::move(found->second);
    rows_.erase(found);
  }

  // Lets `renew` see that a claim is granted, as it is now.
  void publish(engine::Ticket ticket, Held held) {
    std::optional<Held> next(std::move(held));  // then what it was: as above
    base::MutexLock lock(mutex_);
    if constexpr (requires { next->session_id; }) {
      if (last_session_ != next->session_id) last_session_.reset();
    }
    rows_[ticket].held.swap(next);
  }
  // Changes what `renew` sees; `change` must be short. False means that the claim is
  // not granted, or was withdrawn.
  template <class Change>
  bool update_held(engine::Ticket ticket, Change change) {
    base::MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end() || !found->second.held) return false;
    change(*found->second.held);
    return true;
  }
  // Returns nothing if the claim is not granted.
  std::optional<Held> held(engine::Ticket ticket) const {
    base::MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    return found != rows_.end() ? found->second.held : std::nullopt;
  }
  // The claim is about to be dropped, and `renew` must not extend it. Returns what
  // `renew` saw last, if the claim was granted and not withdrawn before.
  std::optional<Held> withdraw(engine::Ticket ticket) noexcept {
    std::optional<Held> last;
    base::MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found != rows_.end()) found->second.held.swap(last);
    return last;
  }

  struct Lost {
    std::shared_ptr<State> state;
    Held held;
  };
  // A renewal or a change has learnt that a granted claim is gone. The core does not
  // drop it then, so it is erased here. Returns nothing if a `drop` has withdrawn the
  // claim and ends it itself, or another call has learnt the same.
  std::optional<Lost> lose(engine::Ticket ticket) noexcept {
    base::MutexLock lock(mutex_);
    const auto found = rows_.find(ticket);
    if (found == rows_.end() || !found->second.held) return std::nullopt;
    Row last = std::move(found->second);
    rows_.erase(found);
    return Lost{std::move(last.state), *std::move(last.held)};
  }

  // Claims that were granted under a lease or session that is over are gone, and a
  // claim that is gone need not be dropped by its owner. `session_id` is the one that
  // the caller has read: the table looks through its claims if it has not just done so
  // for the same. By now another may be the present one, so `is_over` says which have
  // ended; it must be short, and not ask the table.
  template <class IsOver>
  void forget_ended_sessions(std::int64_t session_id, IsOver is_over) {
    Rows ended;  // destroyed without the mutex
    base::MutexLock lock(mutex_);
    if (last_session_ == session_id) return;
    for (auto next = rows_.begin(); next != rows_.end();) {
      const auto each = next++;
      const auto& held = each->second.held;
      if (held && held->session_id != session_id && is_over(held->session_id)) {
        ended.insert(rows_.extract(each));
      }
    }
    last_session_ = session_id;
  }

 private:
  struct Row {
    std::shared_ptr<State> state;
    std::optional<Held> held;
  };
  using Rows = std::unordered_map<engine::Ticket, Row>;
  mutable base::Mutex mutex_;
  Rows rows_ HOLDFAST_GUARDED_BY(mutex_);
  // The table has looked through its claims for this one. Nothing means that it must do
  // so again.
  std::optional<std::int64_t> last_session_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::kit

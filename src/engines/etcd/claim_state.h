// SPDX-License-Identifier: Apache-2.0

// engines/etcd/claim_state.h - what this client knows of one claim.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engines/etcd/wakeups.h"
#include "engines/kit/claim_machine.h"

namespace holdfast::etcd {

// This says whether the grant time of a claim is in the store: see grant_times.h.
enum class TimeWritten : std::uint8_t { no, maybe, yes };

// This is a granted claim as `renew` sees it.
struct HeldClaim {
  std::int64_t session_id = 0;  // the etcd lease
  std::string key;
  std::int64_t revision = 0;
  Clock::time_point since{};            // when the claim was granted
  std::shared_ptr<KeyWatch> own_watch;  // null means that the key is not watched yet
  TimeWritten time_written = TimeWritten::no;
};

// The state belongs to the calls for one ticket, which come one after another.
// `session_id` is the etcd lease.
struct ClaimState : kit::ClaimProgress {
  std::string key;            // empty means that the claim has no key yet
  std::int64_t revision = 0;  // at which the key was created; zero means unknown
  std::int64_t changed = 0;   // at which the key was last changed; zero means never
  bool may_exist = false;     // an unanswered request may create the key
  bool time_written = false;  // a renewal may have written the grant time
  std::shared_ptr<KeyWatch> obstacle_watch;  // the key that must end first
  std::shared_ptr<KeyWatch> own_watch;       // the key of this claim

  void disarm() noexcept {
    KeyWatch::keep(std::move(obstacle_watch));
    own_watch.reset();
  }
  // Resets the claim to the state before its first attempt, after its key was removed.
  // If an unanswered request may still create the key, the claim keeps that key.
  void queue_again() {
    ClaimState fresh;
    fresh.session_id = session_id;
    fresh.may_exist = may_exist;
    if (may_exist) fresh.key = std::move(key);
    *this = std::move(fresh);
  }
};

using ClaimTable = kit::ClaimTable<ClaimState, HeldClaim>;

}  // namespace holdfast::etcd

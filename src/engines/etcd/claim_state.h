// engines/etcd/claim_state.h - what is known here of one claim.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engines/etcd/wakeups.h"
#include "engines/kit/claim_table.h"

namespace holdfast::etcd {

// Whether the grant time of a claim is in the store (grant_times.h).
enum class TimeWritten : std::uint8_t { no, maybe, yes };

// A granted claim as `renew` sees it.
struct HeldClaim {
  std::int64_t under = 0;  // the lease
  std::string key;
  std::int64_t revision = 0;
  Clock::time_point since{};               // of the grant
  std::shared_ptr<WatchHandle> own_watch;  // null: nobody listens yet
  TimeWritten time_written = TimeWritten::no;
};

// Belongs to the calls for one ticket, which come one after another.
struct ClaimState {
  std::int64_t lease = 0;     // under which everything below is so
  std::string key;            // empty: none yet
  std::int64_t revision = 0;  // at which the key was created; zero: not known
  std::int64_t changed = 0;   // at which it was changed last; zero: not since then
  bool may_exist = false;     // it may have been created
  bool granted = false;
  Clock::time_point since{};  // of the grant
  bool time_written = false;  // a renewal may have written the grant time
  std::uint32_t permits = 0;  // of a semaphore
  std::shared_ptr<WatchHandle> obstacle_watch;  // who must go first
  std::shared_ptr<WatchHandle> own_watch;       // our own key

  // As before the first attempt, under another lease.
  void start_again(std::int64_t under_lease) {
    *this = ClaimState{};
    lease = under_lease;
  }
  // As before the first attempt, after the key was removed. If an attempt may still be
  // on its way that would create it, it stays the same key.
  void queue_again() {
    ClaimState fresh;
    fresh.lease = lease;
    fresh.may_exist = may_exist;
    if (may_exist) fresh.key = std::move(key);
    *this = std::move(fresh);
  }
  HeldClaim held_claim() const { return {lease, key, revision, since, own_watch}; }
};

using ClaimTable = kit::ClaimTable<ClaimState, HeldClaim>;

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/liveness_proof.h - from when on the session is certainly alive.
//
// Only the leader ends sessions. It learns that a client is alive from the server that
// the client is connected to; a follower reports this twice a tick, in answer to the
// leader's pings. A follower that has lost its leader goes on answering reads for some
// time, so an answered read proves nothing. An answered write proves that it went
// through the leader, after everything that the follower had reported before. So
// requests count that were answered at least one report before the write was sent; the
// write itself does not count yet.

#pragma once

#include "base/mutex.h"
#include "holdfast/clock.h"

namespace holdfast::zookeeper {

// The class is safe for concurrent use.
class LivenessProof {
 public:
  // The session is opened later than `born`.
  explicit LivenessProof(Clock::time_point born) noexcept
      : alive_from_(born), last_sent_(born) {}

  // A request that was sent at `sent` was answered by `now`. `committed` says that a
  // majority of the servers has stored it, and `report` is the longest time between two
  // reports of a follower.
  void answered(Clock::time_point sent, Clock::time_point now, bool committed,
                Clock::duration report) noexcept;

  // The session is alive for at least its timeout from this time on.
  Clock::time_point alive_from() const noexcept;

  // Returns when the last answered request was sent.
  Clock::time_point last_sent() const noexcept;

 private:
  struct Contact {
    Clock::time_point sent = Clock::time_point::min();
    Clock::time_point answered = Clock::time_point::min();
  };
  // The contacts are so far apart that together they cover a report and the time of an
  // answer: one of them is old enough to count, however many requests there are.
  static constexpr int kContacts = 8;

  mutable base::Mutex mutex_;
  Contact contacts_[kContacts] HOLDFAST_GUARDED_BY(mutex_);
  int newest_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Clock::time_point alive_from_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point last_sent_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::zookeeper

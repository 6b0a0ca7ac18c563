// engines/zookeeper/session_lease.h - since when the session certainly lives.
//
// Only the leader ends sessions. It learns that a client is alive from the server that
// the client is connected to, and a follower tells it twice a tick, in answer to the
// leader's pings. A follower that has lost its leader goes on answering reads for some
// time, so an answered read proves nothing. An answered write proves that it went
// through the leader, behind everything that the follower had reported before: the
// requests that were answered at least one report earlier count, and the write itself
// does not count yet.

#pragma once

#include "base/mutex.h"
#include "holdfast/clock.h"

namespace holdfast::zookeeper {

// Safe for concurrent use.
class SessionLease {
 public:
  // The session is opened later than `born`.
  explicit SessionLease(Clock::time_point born) noexcept
      : alive_from_(born), last_sent_(born) {}

  // What was sent at `sent` was answered by `now`. `committed`: a majority of the
  // servers has stored it. `report`: a follower tells its leader at least so often.
  void answered(Clock::time_point sent, Clock::time_point now, bool committed,
                Clock::duration report) noexcept;

  // The session lives for at least its timeout from then on.
  Clock::time_point alive_from() const noexcept;

  // When the last request was sent that was answered.
  Clock::time_point last_sent() const noexcept;

 private:
  struct Contact {
    Clock::time_point sent = Clock::time_point::min();
    Clock::time_point answered = Clock::time_point::min();
  };
  // They are so far apart that together they reach back over a report and the time of
  // an answer: one of them is old enough to count, however many requests there are.
  static constexpr int kContacts = 8;

  mutable base::Mutex mutex_;
  Contact contacts_[kContacts] HOLDFAST_GUARDED_BY(mutex_);
  int newest_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Clock::time_point alive_from_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point last_sent_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::zookeeper

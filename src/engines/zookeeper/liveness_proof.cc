// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/liveness_proof.h"

#include <algorithm>

namespace holdfast::zookeeper {

void LivenessProof::answered(Clock::time_point sent, Clock::time_point now,
                             bool committed, Clock::duration report) noexcept {
  base::MutexLock lock(mutex_);
  last_sent_ = std::max(last_sent_, sent);
  if (committed) {
    for (const Contact& each : contacts_) {
      if (each.answered <= sent - report) {
        alive_from_ = std::max(alive_from_, each.sent);
      }
    }
  }
  const Clock::duration apart = 2 * (report + (now - sent)) / kContacts;
  if (now - apart < contacts_[newest_].answered) return;
  newest_ = (newest_ + 1) % kContacts;
  contacts_[newest_] = {sent, now};
}

Clock::time_point LivenessProof::alive_from() const noexcept {
  base::MutexLock lock(mutex_);
  return alive_from_;
}

Clock::time_point LivenessProof::last_sent() const noexcept {
  base::MutexLock lock(mutex_);
  return last_sent_;
}

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/former_holder.h - what becomes of a process whose lock was taken away.

#pragma once

#include <string>

#include "holdfast/clock.h"
#include "holdfast/engine/claim.h"
#include "run/descriptor.h"

namespace holdfast::cli {

// Made before the lock is taken away, so that the process that is watched is the one
// that had it.
class FormerHolder {
 public:
  explicit FormerHolder(const engine::Entry& entry);

  // Whether it is a process of this host that has not ended.
  bool is_running() const;

  // Until the process has ended, if it is one of this host, or the lease that was seen
  // is over; where none was seen, the usual ttl. `signals`: a signalfd, which ends the
  // wait. The signal that came; zero: none did.
  int wait(int signals) const;

  // ", which has ended" or what is known to go on where.
  std::string what_is_left() const;

 private:
  std::string who_;
  Descriptor process_;  // a pidfd, if it is of this host
  Clock::time_point lease_end_;
};

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/former_holder.h - what becomes of a process whose lock was taken away.

#pragma once

#include <string>

#include "holdfast/clock.h"
#include "holdfast/engine/claim.h"
#include "run/descriptor.h"

namespace holdfast::cli {

// The object is made before the lock is taken away, so that the process that is watched
// is the one that had it.
class FormerHolder {
 public:
  explicit FormerHolder(const engine::Entry& entry);

  // Returns whether it is a process of this host that has not ended.
  bool is_running() const;

  // Waits until the process has ended, if it is one of this host, or until the lease
  // that was seen is over; if none was seen, for the usual ttl. A signal in the
  // signalfd `signals` ends the wait. Returns that signal, or zero.
  int wait(int signals) const;

  // Returns ", which has ended", or says what may still be running and where.
  std::string what_is_left() const;

 private:
  std::string who_;
  Descriptor process_;  // a pidfd, if the process is of this host
  Clock::time_point lease_end_;
};

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/stopping.h - when must the command end? Decided without I/O.
//
// The command must be dead before the lock can be granted to another client. So it gets
// the signal while there is still time for it to end, and is killed a margin before the
// lease is over:
//
//   |<------------------- lease ------------------>|
//   granted or renewed      signal          KILL   end
//                             |<- grace ->|<margin>|
//
// The grace is the user's --kill-after, but no more than a fifth of the lease.

#pragma once

#include <chrono>

#include "holdfast/clock.h"
#include "run/run_options.h"

namespace holdfast::cli {

class Stopping {
 public:
  using Time = Clock::time_point;

  enum class Step { none, warn, signal, kill };

  // `end` is when the lease ends; Time::max() means that it does not end by time.
  Stopping(OnLost policy, Duration kill_after, Time now, Time end) noexcept;

  // The lease was renewed. This comes too late once a step was due.
  void extend(Time end) noexcept;

  void tell_lost() noexcept { told_ = true; }        // The supervisor reports the loss.
  void tell_orphaned() noexcept { orphan_ = true; }  // The supervisor is dead.

  // Returns what is due now; each step is returned once.
  Step step(Time now) noexcept;
  // Returns when to call `step` again, if nothing is reported before.
  Time next() const noexcept;

  // Returns when the command must be dead at the latest; Time::max() means that it need
  // not end.
  Time overdue() const noexcept;

  // Returns whether the time alone is reason enough for the first step.
  bool out_of_time(Time now) const noexcept {
    return now >= before_end(margin_ + grace_);
  }

  bool lost() const noexcept { return lost_; }
  bool ending() const noexcept { return state_ == State::ending; }

 private:
  enum class State { running, warned, ending, ended };
  Step end(Time now) noexcept;
  Time before_end(Duration span) const noexcept;

  OnLost policy_;
  Duration kill_after_;
  Duration margin_{};
  Duration grace_{};
  Time end_;
  Time kill_at_ = Time::max();
  State state_ = State::running;
  bool told_ = false;
  bool orphan_ = false;
  bool lost_ = false;
};

}  // namespace holdfast::cli

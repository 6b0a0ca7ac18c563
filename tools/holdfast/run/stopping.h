// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/stopping.h - when must the command end? Decided without I/O.
//
// The command is dead before the lease can pass on. So it is told to end while there is
// still time for that, and ended a margin before the lease is over:
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

  // `end` is when the lease ends; Time::max(): not by time.
  Stopping(OnLost policy, Duration kill_after, Time now, Time end) noexcept;

  // Renewed. Too late once a step was due.
  void extend(Time end) noexcept;

  void tell_lost() noexcept { told_ = true; }        // by the supervisor
  void tell_orphaned() noexcept { orphan_ = true; }  // the supervisor is dead

  // What is due now; each step once.
  Step step(Time now) noexcept;
  // When to ask again, if nothing is told before.
  Time next() const noexcept;

  // When the command must be dead at the latest; Time::max(): it need not end.
  Time overdue() const noexcept;

  // Whether the time alone is reason enough for the first step.
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

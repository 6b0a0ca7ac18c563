// SPDX-License-Identifier: Apache-2.0

// core/alarm_signal.h - the signal that the renewer's timer sleeps on.

#pragma once

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::core {

// The engine knows it as SessionOptions::alarm and rings it when claims have to be
// looked at. `poke` wakes the timer for the core's own reasons and is no alarm. The
// class is safe for concurrent use.
class AlarmSignal final : public engine::Signal {
 public:
  void ring() noexcept override;
  void poke() noexcept;
  void wait(engine::Deadline until) noexcept override;

  // Returns whether the engine has rung since the last call.
  bool take_alarm() noexcept;

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  bool woken_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool alarmed_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::core

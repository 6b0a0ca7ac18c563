// core/alarm_signal.h - what the renewer sleeps on.

#pragma once

#include "base/mutex.h"
#include "holdfast/engine/claim.h"

namespace holdfast::core {

// As a Signal it is SessionOptions::alarm: the engine rings it. `poke` wakes the
// renewer for reasons of the core's own.
class AlarmSignal final : public engine::Signal {
 public:
  void ring() noexcept override;
  void poke() noexcept;
  void wait(engine::Deadline until) noexcept override;

  // Whether the engine has rung since the last call.
  bool take_alarm() noexcept;

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  bool woken_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool alarmed_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

// base/thread_signal.h - a signal for the threads of one process.

#pragma once

#include "base/mutex.h"
#include "base/time_left.h"
#include "holdfast/engine/claim.h"

namespace holdfast::base {

class ThreadSignal final : public engine::Signal {
 public:
  void ring() noexcept override {
    MutexLock lock(mutex_);
    rung_ = true;
    changed_.notify_one();
  }

  // A spurious wake-up returns to the caller, which checks and waits again.
  void wait(engine::Deadline until) noexcept override {
    MutexLock lock(mutex_);
    const auto left = time_left(until);
    if (!rung_ && left > Clock::duration::zero()) changed_.wait_for(lock, left);
    rung_ = false;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool rung_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::base

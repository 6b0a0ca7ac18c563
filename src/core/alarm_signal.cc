// SPDX-License-Identifier: Apache-2.0

#include "core/alarm_signal.h"

#include <utility>

#include "base/time_left.h"

namespace holdfast::core {

void AlarmSignal::ring() noexcept {
  base::MutexLock lock(mutex_);
  alarmed_ = true;
  woken_ = true;
  changed_.notify_one();
}

void AlarmSignal::poke() noexcept {
  base::MutexLock lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

void AlarmSignal::wait(engine::Deadline until) noexcept {
  base::MutexLock lock(mutex_);
  while (!woken_) {
    if (until == engine::Deadline::max()) {
      changed_.wait(lock);
      continue;
    }
    // The condition variable does not count the time that the host sleeps, so one wait
    // is never longer than a second.
    const auto left = base::time_left(until, std::chrono::seconds(1));
    if (left == left.zero()) return;
    changed_.wait_for(lock, left);
  }
  woken_ = false;
}

bool AlarmSignal::take_alarm() noexcept {
  base::MutexLock lock(mutex_);
  return std::exchange(alarmed_, false);
}

}  // namespace holdfast::core

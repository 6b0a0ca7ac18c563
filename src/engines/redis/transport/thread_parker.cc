// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/thread_parker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "base/time_left.h"

namespace holdfast::redis {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

bool ThreadParker::park(engine::Deadline until) noexcept {
  std::uint32_t state = awake;
  if (!state_.compare_exchange_strong(state, asleep) && state == woken) return true;
  for (;;) {
    const auto left = base::time_left(until);
    if (left.count() > 0) {
      const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
      const timespec span{seconds.count(), (left - seconds).count()};
      syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, asleep, &span);
    }
    if (state_.load() == woken) return true;
    if (left.count() == 0) return false;
  }
}

void ThreadParker::unpark() noexcept {
  const void* const address = &state_;  // The kernel uses the address as a name and
                                        // does not read it.
  if (state_.exchange(woken) == asleep) {
    syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, 1);
  }
}

}  // namespace holdfast::redis

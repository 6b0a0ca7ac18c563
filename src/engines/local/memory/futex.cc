// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/time_left.h"

namespace holdfast::local {
namespace {

// The kernel's futex timers use CLOCK_MONOTONIC, and our deadlines CLOCK_BOOTTIME.
// After a suspend a sleeper may be late by its length, so callers check the clock when
// they wake.
timespec monotonic(engine::Deadline until) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto left = base::time_left(until, std::chrono::hours(24 * 365));
  const auto at = now.tv_nsec + left.count() % 1'000'000'000;
  now.tv_sec += left.count() / 1'000'000'000 + at / 1'000'000'000;
  now.tv_nsec = at % 1'000'000'000;
  return now;
}

struct Sleep {
  explicit Sleep(engine::Deadline until) noexcept {
    if (until == engine::Deadline::max()) return;
    at_ = monotonic(until);
    end = &at_;
  }
  const timespec* end = nullptr;

 private:
  timespec at_{};
};

}  // namespace

void futex_wait(const Word& word, std::uint32_t seen, engine::Deadline until) noexcept {
  const Sleep sleep(until);
  ::syscall(SYS_futex, word.address(), FUTEX_WAIT_BITSET, seen, sleep.end, nullptr,
            FUTEX_BITSET_MATCH_ANY);
}

bool futex_wait_either(const Word& a, std::uint32_t seen_a, const Word& b,
                       std::uint32_t seen_b, engine::Deadline until) noexcept {
  const Sleep sleep(until);
  futex_waitv both[2] = {};
  both[0].val = seen_a;
  both[0].uaddr = reinterpret_cast<std::uintptr_t>(a.address());
  both[0].flags = FUTEX_32;
  both[1].val = seen_b;
  both[1].uaddr = reinterpret_cast<std::uintptr_t>(b.address());
  both[1].flags = FUTEX_32;
  const auto rc = ::syscall(SYS_futex_waitv, both, 2, 0, sleep.end, CLOCK_MONOTONIC);
  // Sandboxes refuse unknown system calls with EPERM or other errors.
  return rc >= 0 || errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR;
}

void futex_wake(const Word& word, int sleepers) noexcept {
  ::syscall(SYS_futex, word.address(), FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
}

}  // namespace holdfast::local

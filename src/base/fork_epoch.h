// SPDX-License-Identifier: Apache-2.0

// base/fork_epoch.h - tells whether this process has been forked since an earlier
// moment.
//
//   const auto epoch = base::fork_epoch();     // when a client is opened
//   if (base::fork_epoch() != epoch) ...       // this is a child: touch nothing
//
// It is one load from memory: asking the kernel for the pid on every lock would cost
// more than the lock.

#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::base {

namespace detail {
extern std::atomic<std::atomic<std::uint64_t>*> g_fork_epoch;
}

inline std::uint64_t fork_epoch() noexcept {
  return detail::g_fork_epoch.load(std::memory_order_relaxed)
      ->load(std::memory_order_relaxed);
}

// Makes every later fork() count, even one that bypasses the C library's handlers:
// _Fork() or clone(). Code that is about to remember an epoch calls it first. It is
// idempotent.
void watch_forks() noexcept;

// Makes this process count as a child from now on.
void enter_child() noexcept;

}  // namespace holdfast::base

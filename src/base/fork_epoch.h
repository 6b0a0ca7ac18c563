// base/fork_epoch.h - has this process been forked since?
//
//   const auto epoch = base::fork_epoch();     // when a client is opened
//   if (base::fork_epoch() != epoch) ...       // we are in a child: hands off
//
// A load from memory: asking the kernel for the pid on every lock would cost more than
// the lock.

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

// Makes every later fork() count, also one that the C library is not told of: _Fork(),
// clone(). Called by whoever is about to remember an epoch; repeating it does nothing.
void watch_forks() noexcept;

// As if this process were a child from now on.
void enter_child() noexcept;

}  // namespace holdfast::base

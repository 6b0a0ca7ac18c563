// SPDX-License-Identifier: Apache-2.0

// primitives/thread_id.h - numbers for threads and other owners of locks.

#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::primitives {

// A number is never used twice, unlike the thread ids of the kernel and the C library,
// because a new thread must not inherit what a dead one held.
inline std::uint64_t next_owner() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Returns the number of the calling thread.
inline std::uint64_t this_thread() noexcept {
  [[gnu::tls_model("initial-exec")]] static thread_local constinit std::uint64_t id = 0;
  if (id == 0) [[unlikely]]
    id = next_owner();
  return id;
}

}  // namespace holdfast::primitives

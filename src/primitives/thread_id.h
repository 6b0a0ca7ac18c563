// SPDX-License-Identifier: Apache-2.0

// primitives/thread_id.h - a number for the calling thread.

#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::primitives {

// A number is never used twice, unlike the thread ids of the kernel and the C library,
// because a new thread must not inherit what a dead one held.
inline std::uint64_t this_thread() noexcept {
  static std::atomic<std::uint64_t> last{0};
  [[gnu::tls_model("initial-exec")]] static thread_local constinit std::uint64_t id = 0;
  if (id == 0) [[unlikely]]
    id = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return id;
}

}  // namespace holdfast::primitives

// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/call_pace.h - whether the calls of a session follow each other
// closely.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "holdfast/clock.h"

namespace holdfast::etcd {

// `begin` and `end` may be called from any thread; the rest belongs to one thread.
class CallPace {
 public:
  static constexpr std::uint32_t kMany = 64;
  static constexpr std::chrono::milliseconds kWithin{500};

  // Returns true once in kMany calls: it is time to ask `is_fast`.
  bool begin() noexcept {
    under_way_.fetch_add(1, std::memory_order_relaxed);
    return (begun_.fetch_add(1, std::memory_order_relaxed) + 1) % kMany == 0;
  }
  void end() noexcept { under_way_.fetch_sub(1, std::memory_order_relaxed); }

  // Returns whether the last kMany calls took at most kWithin.
  bool is_fast(Clock::time_point now) noexcept {
    const std::uint32_t begun = begun_.load(std::memory_order_relaxed);
    if (begun - seen_ < kMany) return false;
    const bool fast = now - seen_at_ <= kWithin;
    seen_ = begun;
    seen_at_ = now;
    return fast;
  }

  // Returns whether a call is under way, or has begun since this or `is_fast` was
  // asked.
  bool goes_on(Clock::time_point now) noexcept {
    const std::uint32_t begun = begun_.load(std::memory_order_relaxed);
    const bool any = begun != seen_ || under_way_.load(std::memory_order_relaxed) > 0;
    seen_ = begun;
    seen_at_ = now;
    return any;
  }

 private:
  std::atomic<std::uint32_t> begun_{0};
  std::atomic<std::int32_t> under_way_{0};
  std::uint32_t seen_ = 0;  // how many had begun when it was asked last
  Clock::time_point seen_at_{};
};

}  // namespace holdfast::etcd

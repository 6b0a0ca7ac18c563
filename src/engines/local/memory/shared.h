// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/shared.h - a field that several processes read and write.
//
// Every store into the segment goes through this class, so that a test build can end
// the process before any one of them (HOLDFAST_CRASH_POINTS,
// tests/faults/crash_points).

#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::local {

#ifdef HOLDFAST_CRASH_POINTS
void crash_point() noexcept;
#else
inline void crash_point() noexcept {}
#endif

// The standard recommends that lock-free atomics be address-free: the same bytes work
// in every mapping.
template <class T>
class Shared {
  static_assert(std::atomic<T>::is_always_lock_free);

 public:
  T load() const noexcept { return value_.load(std::memory_order_acquire); }

  void store(T to) noexcept {
    crash_point();
    value_.store(to, std::memory_order_release);
  }

  bool cas(T& from, T to) noexcept {
    crash_point();
    return value_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                          std::memory_order_acquire);
  }

  T exchange(T to) noexcept {
    crash_point();
    return value_.exchange(to, std::memory_order_acq_rel);
  }

  T fetch_add(T by) noexcept {
    crash_point();
    return value_.fetch_add(by, std::memory_order_acq_rel);
  }

  T fetch_or(T bits) noexcept {
    crash_point();
    return value_.fetch_or(bits, std::memory_order_acq_rel);
  }

  T fetch_and(T bits) noexcept {
    crash_point();
    return value_.fetch_and(bits, std::memory_order_acq_rel);
  }

  // The futex calls need the plain address.
  const T* address() const noexcept { return reinterpret_cast<const T*>(&value_); }

 private:
  std::atomic<T> value_;
};

}  // namespace holdfast::local

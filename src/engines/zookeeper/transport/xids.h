// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/transport/xids.h - keeps the library's request numbers (xids)
// valid.
//
// The library numbers the requests of all handles of a process with one 32-bit counter,
// which starts from the time of day. Some negative numbers have a special meaning in
// the protocol, and a request with one of them breaks the connection: after about 2.5
// thousand million requests. Shortly before, the counter is moved past them.

#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <cstdint>

#include "base/mutex.h"

namespace holdfast::zookeeper {

// It must be called before every request, and before a connected handle is closed,
// which is one, too. The function is safe for concurrent use.
void take_xid(zhandle_t* handle);

// Presumes the library's counter, which cannot be read. The class is safe for
// concurrent use.
class XidCounter {
 public:
  // `start` returns the number with which the library begins, and begins again at -1.
  using Start = std::uint32_t (*)() noexcept;
  explicit XidCounter(Start start) noexcept : start_(start), next_(start()) {}

  // Counts a request that is about to be made. If its number would be one of those to
  // avoid, `skip_one` is called often enough before. It makes the library take a number
  // for nothing.
  template <class Skip>
  void take(const Skip& skip_one) {
    if (!is_near(next_.fetch_add(1))) [[likely]]
      return;
    base::MutexLock lock(one_at_a_time_);
    if (!is_near(next_.load())) return;
    for (std::uint32_t i = 0; i < kSkipped; ++i) skip_one();
    // By now the library has begun again. The requests that other threads have counted
    // since the first that was near are still to come, so they stay counted.
    next_.fetch_add(start_() + kSkipped + 1);
  }

 private:
  static constexpr std::int32_t kFirstToAvoid = -256;
  // There are 255 numbers from the first to -2. The others are for requests that were
  // counted and are not made yet: the library lags behind by their number.
  static constexpr std::uint32_t kSkipped = 255 + 64;

  static bool is_near(std::uint32_t number) noexcept {
    const auto signed_number = static_cast<std::int32_t>(number);
    return signed_number >= kFirstToAvoid && signed_number < 0;
  }

  const Start start_;
  std::atomic<std::uint32_t> next_;
  base::Mutex one_at_a_time_;
};

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/thread_parker.h - lets one thread sleep, once, until another
// thread wakes it.
//
// A parker is cheaper than a condition variable, because the woken thread needs no
// mutex to see that it was woken.

#pragma once

#include <atomic>
#include <cstdint>

#include "holdfast/engine/claim.h"

namespace holdfast::redis {

class ThreadParker {
 public:
  // Returns true if the thread was woken; it then sees everything that was written
  // before `unpark`. Returns false if the deadline passed.
  bool park(engine::Deadline until) noexcept;

  // This may be called at most once. The sleeping thread may destroy this object before
  // the call returns.
  void unpark() noexcept;

 private:
  enum State : std::uint32_t { awake, asleep, woken };
  std::atomic<std::uint32_t> state_{awake};
};

}  // namespace holdfast::redis

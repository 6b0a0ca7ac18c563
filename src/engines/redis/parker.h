// engines/redis/parker.h - one thread sleeps, once, until another wakes it.
//
// Cheaper than a condition variable: who is woken needs no lock to see that it was.

#pragma once

#include <atomic>
#include <cstdint>

#include "holdfast/engine/claim.h"

namespace holdfast::redis {

class Parker {
 public:
  // True: it was woken, and sees what was written before. False: the deadline passed.
  bool park(engine::Deadline until) noexcept;

  // At most once. The sleeper may be gone, and this object with it, before the call
  // returns.
  void unpark() noexcept;

 private:
  enum State : std::uint32_t { awake, asleep, woken };
  std::atomic<std::uint32_t> state_{awake};
};

}  // namespace holdfast::redis

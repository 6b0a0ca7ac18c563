// holdfast/shared_mutex.h - readers together, or one writer alone.
//
//   holdfast::SharedMutex mutex(client, "prices");
//
//   std::shared_lock reading(mutex);              // the standard spelling
//   std::unique_lock writing(mutex);
//
//   auto hold = mutex.acquire();                  // the spelling that tells you more
//   rewrite(prices, hold->token());
//   auto shared = hold->downgrade();              // now readers get in, writers do not
//
// Writers do not starve: a reader that comes after a waiting writer waits behind it.
// (Among readers of Redisson a writer may starve, because Redisson's layout does not
// know waiting writers.)

#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// A hold of either side. The token of a shared hold is not below that of the last
// exclusive one: show it to `Fence::admit_shared`, and do not compare readers.
class [[nodiscard]] HOLDFAST_EXPORT SharedHold : public Hold {
 public:
  bool exclusive() const noexcept;

  // From exclusive to shared without a moment in which a writer could get in; readers
  // that wait are woken. Already shared: nothing happens. Where `Traits::downgrades` is
  // false the hold stays exclusive at the engine until it is released.
  Result<void> downgrade() noexcept;

  // Errc::would_deadlock for a shared hold, always: two readers that wait for each
  // other to leave would wait for ever. Release it, acquire the exclusive side, read
  // again.
  Result<void> upgrade() noexcept;

 private:
  friend class SharedMutex;
  explicit SharedHold(Hold hold) noexcept;
};

// Meets SharedTimedLockable, so std::unique_lock, std::shared_lock and std::scoped_lock
// work. Safe for concurrent use.
//
// What is locked with `lock()` and `lock_shared()` belongs to the calling thread and is
// re-entrant for it, through any SharedMutex of the same name and client:
//   * each side may be entered again; the engine is not asked;
//   * a writer may take the read side too. When it then unlocks the write side first,
//     its hold is downgraded;
//   * a reader that asks for the write side would wait for itself:
//   Errc::would_deadlock.
// A hold of `acquire` belongs to its object, and is never entered again.
//
// What the calls do, by what the calling thread has:
//
//   it has     lock()             lock_shared()       unlock()          unlock_shared()
//   ---------  -----------------  ------------------  ----------------  ---------------
//   nothing    waits its turn     waits its turn      nothing           nothing
//   read side  would_deadlock     one level more      nothing           one level less;
//                                                                       the last: free
//   write side one level more     a read level under  one level less;   one read level
//                                 the write side      the last: free,   less
//                                                     or downgraded
//   lost it    Errc::not_held     Errc::not_held      one level less    one level less
//
// A thread whose hold was lost unlocks every level that it had locked before it can
// lock again; the engine is not asked.
class HOLDFAST_EXPORT SharedMutex {
 public:
  SharedMutex(Client client, std::string name, LeaseOptions lease = {});
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  ~SharedMutex();  // unlocks nothing

  // As Mutex::acquire.
  [[nodiscard]] Result<SharedHold> acquire(const AcquireOptions& options = {});
  [[nodiscard]] Result<SharedHold> acquire_shared(const AcquireOptions& options = {});

  // They throw holdfast::Error; `false` never hides a failure.
  void lock();
  [[nodiscard]] bool try_lock();
  void lock_shared();
  [[nodiscard]] bool try_lock_shared();

  [[nodiscard]] bool try_lock_for(Timeout wait) {
    return try_lock_within(engine::Mode::exclusive, wait);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_for(Timeout::until(deadline));
  }
  [[nodiscard]] bool try_lock_shared_for(Timeout wait) {
    return try_lock_within(engine::Mode::shared, wait);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(
      const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_shared_for(Timeout::until(deadline));
  }

  // One level less of that side. By a thread that does not have it: nothing happens.
  void unlock() noexcept;
  void unlock_shared() noexcept;

  // Of the calling thread. Not holding: an empty token, and a stop_token that has
  // already been requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  std::string_view name() const noexcept;

 private:
  Result<SharedHold> acquire_as(engine::Mode mode, const AcquireOptions& options);
  bool try_lock_within(engine::Mode mode, Timeout wait);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast

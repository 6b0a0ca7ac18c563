// SPDX-License-Identifier: Apache-2.0

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
// Where `Traits::orders` is true, writers do not starve: a reader that arrives after a
// waiting writer waits behind it. On a quorum, which has no order, they may. (Readers
// of Redisson on the same name can starve a writer, too, because Redisson's layout has
// no room for waiting writers.)

#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "holdfast/thread_annotations.h"

namespace holdfast::inline v0 {

// A hold of the read side or of the write side. The token of a shared hold is not
// smaller than that of the last exclusive hold: show it to `Fence::admit_shared`, and
// do not compare the tokens of two readers.
class [[nodiscard]] HOLDFAST_EXPORT SharedHold : public Hold {
 public:
  SharedHold() = default;  // an empty one, as an empty `Hold`

  // True for the write side, until `downgrade()`.
  bool exclusive() const noexcept;

  // Turns an exclusive hold into a shared one, without a moment in which another writer
  // could get in, and wakes the waiting readers. For a hold that is shared already it
  // does nothing and succeeds. Where `Traits::downgrades` is false, the hold stays
  // exclusive at the engine until it is released. Errc::not_held: the hold was lost, or
  // is empty.
  Result<void> downgrade() noexcept;

  // Does the same without a thread that waits; see holdfast/completion.h. Until then
  // the hold stays exclusive. A hold that is destroyed meanwhile is given back when the
  // change is done.
  void downgrade_async(Completion<void> done);

  // Fails with Errc::would_deadlock for every shared hold: two readers that wait for
  // each other to leave would wait for ever. The caller releases the hold, acquires the
  // exclusive side and reads the data again. For an exclusive hold it does nothing and
  // succeeds.
  Result<void> upgrade() noexcept;

 private:
  friend class SharedMutex;
  explicit SharedHold(Hold hold) noexcept;
};

// A SharedMutex meets SharedTimedLockable, so std::unique_lock, std::shared_lock and
// std::scoped_lock work with it. It is safe for concurrent use.
//
// What `lock()` and `lock_shared()` take belongs to the calling thread and is
// re-entrant for it, through any SharedMutex of the same name and client:
//   * A thread may enter each side again; the engine is not asked.
//   * A writer may take the read side too. When it then unlocks the write side first,
//     its hold is downgraded.
//   * A reader that asks for the write side would wait for itself; the call fails with
//     Errc::would_deadlock.
// What `acquire` and `acquire_shared` return belongs to the SharedHold object and is
// not re-entrant.
//
// The table shows what each call does, by what the calling thread has:
//
//                  nothing         the read side    the write side   a lost hold
//   -------------  --------------  ---------------  ---------------  --------------
//   lock()         waits its turn  would_deadlock   one level more   Errc::not_held
//   lock_shared()  waits its turn  one level more   a read level     Errc::not_held
//                                                   under it
//   unlock()       nothing         nothing          one level less;  one write level
//                                                   the last: free,  less
//                                                   or downgraded
//   unlock_        nothing         one level less;  one read level   one read level
//     shared()                     the last: free   less             less
//   destroyed      nothing         nothing          nothing          nothing
//
// A thread whose hold was lost unlocks every level that it had locked before it can
// lock again; the engine is not asked.
class HOLDFAST_EXPORT HOLDFAST_CAPABILITY("mutex") SharedMutex {
 public:
  // Names a lock, as the constructor of Mutex does.
  SharedMutex(Client client, std::string name, LeaseOptions lease = {});
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  // Unlocks nothing: what is locked belongs to its thread.
  ~SharedMutex();

  // Wait for the write side or the read side, and report as Mutex::acquire does.
  [[nodiscard]] Result<SharedHold> acquire(const WaitOptions& options = {});
  [[nodiscard]] Result<SharedHold> acquire_shared(const WaitOptions& options = {});

  // Do the same without a thread that waits; see holdfast/completion.h.
  void acquire_async(const WaitOptions& options, Completion<SharedHold> done);
  void acquire_shared_async(const WaitOptions& options, Completion<SharedHold> done);

  // They lock one more level of a side, and return and throw as those of Mutex do. In a
  // thread whose hold was lost they throw Errc::not_held until it has unlocked every
  // level; in a reader, the calls for the write side throw Errc::would_deadlock.
  void lock() HOLDFAST_ACQUIRE();
  [[nodiscard]] bool try_lock() HOLDFAST_TRY_ACQUIRE(true);
  void lock_shared() HOLDFAST_ACQUIRE_SHARED();
  [[nodiscard]] bool try_lock_shared() HOLDFAST_TRY_ACQUIRE_SHARED(true);

  [[nodiscard]] bool try_lock_for(Timeout wait) HOLDFAST_TRY_ACQUIRE(true) {
    return try_lock_within(engine::Mode::exclusive, wait);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline)
      HOLDFAST_TRY_ACQUIRE(true) {
    return try_lock_for(Timeout::until(deadline));
  }
  [[nodiscard]] bool try_lock_shared_for(Timeout wait)
      HOLDFAST_TRY_ACQUIRE_SHARED(true) {
    return try_lock_within(engine::Mode::shared, wait);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(
      const std::chrono::time_point<Clock, Duration>& deadline)
      HOLDFAST_TRY_ACQUIRE_SHARED(true) {
    return try_lock_shared_for(Timeout::until(deadline));
  }

  // Unlock one level of that side, without reporting errors. They do nothing in a
  // thread that does not have it.
  void unlock() noexcept HOLDFAST_RELEASE();
  void unlock_shared() noexcept HOLDFAST_RELEASE_SHARED();

  // The token and the loss signal of what the calling thread has locked, as in `Hold`.
  // In a thread that has locked nothing, the token is empty and the stop_token has
  // already been requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  std::string_view name() const noexcept;

 private:
  Result<SharedHold> acquire_as(engine::Mode mode, const WaitOptions& options);
  void acquire_as_async(engine::Mode mode, const WaitOptions& options,
                        Completion<SharedHold> done);
  bool try_lock_within(engine::Mode mode, Timeout wait);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inline v0

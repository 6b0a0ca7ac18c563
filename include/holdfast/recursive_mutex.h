// SPDX-License-Identifier: Apache-2.0

// holdfast/recursive_mutex.h - a Mutex that a thread may lock again.
//
//   holdfast::RecursiveMutex outer(client, "account/7");
//   holdfast::RecursiveMutex inner(client, "account/7");
//
//   std::scoped_lock a(outer);
//   std::scoped_lock b(inner);      // the same thread, the same name: no waiting
//
// Re-entry is counted in the process and costs no round trip. To the engine a
// RecursiveMutex is a Mutex: the two exclude each other on one name.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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

// A RecursiveMutex meets Cpp17TimedLockable and is safe for concurrent use.
//
// The lock belongs to a thread of a client, through any RecursiveMutex of this name and
// client: a thread may unlock through one object what it has locked through another. A
// thread that ends without unlocking leaves the lock held until the client is closed.
//
// The table shows what each call does, by what the calling thread has:
//
//   it has       lock()             unlock()         release()            destroyed
//   -----------  -----------------  ---------------  -------------------  ---------
//   nothing      waits its turn;    nothing          Errc::not_owner      nothing
//                then has a level
//   levels       one level more,    one level less;  as unlock(); says    nothing
//                without waiting    the last: free   what the engine did
//   a lost hold  Errc::not_held     one level less   one level less; the  nothing
//                                                    last: Errc::not_held
//
// A thread whose hold was lost unlocks every level that it had locked before it can
// lock again; the engine is not asked. Once another thread of the client has taken the
// lock, release() answers Errc::not_held for each of these levels.
//
// An asynchronous call has no thread that could own the lock: it is owned by an `Owner`
// that the program makes, one for each task of its own, and passes along with the task.
// Owners and threads exclude each other as threads do.
class HOLDFAST_EXPORT HOLDFAST_CAPABILITY("mutex") RecursiveMutex {
 public:
  // An owner that is no thread. Copies are the same owner; each object that is made is
  // another one. One task at a time may use an owner.
  class HOLDFAST_EXPORT Owner {
   public:
    Owner() noexcept;

   private:
    friend class RecursiveMutex;
    std::uint64_t id_;
  };

  // Names a lock, as the constructor of Mutex does. `lease` counts for the outermost
  // level only: a thread that already holds the lock keeps the lease that it has.
  RecursiveMutex(Client client, std::string name, LeaseOptions lease = {});
  RecursiveMutex(const RecursiveMutex&) = delete;
  RecursiveMutex& operator=(const RecursiveMutex&) = delete;

  // Unlocks nothing: the lock belongs to the thread.
  ~RecursiveMutex();

  // Locks one more level. The first level waits for the lock as Mutex::acquire does;
  // every further one returns at once. Errc::not_held: the lock was lost while this
  // thread held it; the thread has to unlock every level before it can lock again.
  // Errc::full: this thread has entered the lock too often.
  [[nodiscard]] Result<void> acquire(const WaitOptions& options = {});

  // They lock one more level. They return and throw as those of Mutex do.
  void lock() HOLDFAST_ACQUIRE();
  [[nodiscard]] bool try_lock() HOLDFAST_TRY_ACQUIRE(true);

  [[nodiscard]] bool try_lock_for(Timeout wait) HOLDFAST_TRY_ACQUIRE(true);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline)
      HOLDFAST_TRY_ACQUIRE(true) {
    return try_lock_for(Timeout::until(deadline));
  }

  // Unlock one level; the last level releases the lock. `unlock()` does nothing in a
  // thread that does not hold the lock. `release()` reports the outcome:
  // Errc::not_owner, if this thread does not hold the lock; Errc::not_held, if the lock
  // had been lost, for the last level at least; or that the engine did not confirm the
  // release.
  void unlock() noexcept HOLDFAST_RELEASE();
  Result<void> release() noexcept;

  // Do the same for `owner`, without a thread that waits; see holdfast/completion.h.
  void acquire_async(const Owner& owner, const WaitOptions& options,
                     Completion<void> done);
  void release_async(const Owner& owner, Completion<void> done);

  // How many levels the calling thread has locked, and the token and the loss signal of
  // its hold. In a thread that does not hold the lock they are zero, an empty token,
  // and a stop_token that has already been requested.
  std::size_t depth() const noexcept;
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  // Return the same of `owner`.
  std::size_t depth(const Owner& owner) const noexcept;
  FencingToken token(const Owner& owner) const noexcept;
  std::stop_token lost(const Owner& owner) const noexcept;

  std::string_view name() const noexcept;

 private:
  class Impl;
  class Entering;
  std::shared_ptr<Impl> impl_;  // shared with the asynchronous calls
};

}  // namespace holdfast::inline v0

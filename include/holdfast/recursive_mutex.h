// holdfast/recursive_mutex.h - a Mutex that a thread may lock again.
//
//   holdfast::RecursiveMutex outer(client, "account/7");
//   holdfast::RecursiveMutex inner(client, "account/7");
//
//   std::scoped_lock a(outer);
//   std::scoped_lock b(inner);      // the same thread, the same name: no waiting
//
// Re-entry is counted in the process and costs no round trip. On the wire it is a
// Mutex: the two exclude each other on one name.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// Meets Cpp17TimedLockable. Owned by (client, thread), through any object of this name:
// what one object locked another may unlock, in the same thread. Safe for concurrent
// use. A thread that ends while it holds the lock keeps it locked until the client is
// closed.
class HOLDFAST_EXPORT RecursiveMutex {
 public:
  // As Mutex. The lease options of the outermost lock count.
  RecursiveMutex(Client client, std::string name, LeaseOptions lease = {});
  RecursiveMutex(const RecursiveMutex&) = delete;
  RecursiveMutex& operator=(const RecursiveMutex&) = delete;
  ~RecursiveMutex();  // unlocks nothing

  // One more level. A hold that was lost is not re-entered: Errc::not_held, until every
  // level of it has been unlocked.
  [[nodiscard]] Result<void> acquire(const AcquireOptions& options = {});

  // As in Mutex; they throw holdfast::Error.
  void lock();
  [[nodiscard]] bool try_lock();

  [[nodiscard]] bool try_lock_for(Timeout wait);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_for(Timeout::until(deadline));
  }

  // One level less. By a thread that does not hold it: nothing happens here, and
  // Errc::not_owner from `release()`.
  void unlock() noexcept;
  Result<void> release() noexcept;

  // Of the calling thread. Not holding: zero, an empty token, and a stop_token that has
  // already been requested.
  std::size_t depth() const noexcept;
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  std::string_view name() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast

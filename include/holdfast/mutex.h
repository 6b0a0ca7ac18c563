// holdfast/mutex.h - an exclusive lock on a name, shared by processes and hosts.
//
//   auto client = holdfast::Client::open("redis://127.0.0.1:6379");
//   holdfast::Mutex mutex(client, "invoices/42");
//
//   std::scoped_lock guard(mutex);                // the standard spelling
//
//   auto hold = mutex.acquire({.wait = 2s});      // the spelling that tells you more
//   if (!hold) return report(hold.error());       // Errc::timed_out, unavailable, ...
//   table.update(row, hold->token());             // fenced: a stale holder is refused
//
// A distributed lock is a lease. It can be lost while you hold it: watch `lost()`, and
// let the resource itself compare tokens. See docs/guarantees.md.

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

// Meets Cpp17TimedLockable, so std::scoped_lock, std::unique_lock and std::lock work.
//
// Ownership belongs to this object, not to a thread: any thread may unlock. Not
// re-entrant. Safe for concurrent use. Callers in one process that want the same name
// through the same Client queue in the process; one of them at a time asks the engine.
//
// What the calls do, by the state that this object is in:
//
//   state            lock()                      unlock()              destroyed
//   ---------------  --------------------------  --------------------  ------------
//   free, released   waits its turn; then held   nothing               nothing
//   held             waits until it is free; a   gives it back: free   gives it back
//                    holder waits for itself
//   lost while held  waits its turn; then held   ends the lost hold,   nothing
//                    anew                        never a newer one
//
// A thread whose hold was lost must still call `unlock()`, as std::scoped_lock does.
// When the object has been locked again meanwhile, the first `unlock()` counts for the
// lost hold: a newer hold may last too long, and never ends too early.
class HOLDFAST_EXPORT Mutex {
 public:
  // Names a lock; does not talk to the engine. `name` follows the rules of
  // docs/names.md and is the same lock for every client of the same engine.
  Mutex(Client client, std::string name, LeaseOptions lease = {});

  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Releases the lock if it is held, as `unlock()` does.
  ~Mutex();

  // Waits for the lock and returns it as a `Hold`, which releases it when destroyed.
  // Never throws. Contention ends in Errc::timed_out or Errc::cancelled; every other
  // error means that the engine could not answer, not that someone else has the lock.
  [[nodiscard]] Result<Hold> acquire(const AcquireOptions& options = {});

  // Waits without limit. Throws holdfast::Error, a std::system_error.
  void lock();

  // True: locked. False: held elsewhere, or the time passed. Throws holdfast::Error
  // when the engine could not answer; `false` never hides a failure.
  [[nodiscard]] bool try_lock();

  [[nodiscard]] bool try_lock_for(Timeout wait);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_for(Timeout::until(deadline));
  }

  // Never throws and never reports: if the release does not reach the engine, the
  // lease ends by itself. Where the engine sees to it (zookeeper), it is sent and not
  // waited for. To learn the outcome, use `Hold::release()`.
  // REQUIRES: locked through this object.
  void unlock() noexcept;

  // The facts of the present hold, as in `Hold`. Without one: an empty token, and a
  // stop_token that has already been requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  std::string_view name() const noexcept;

 protected:
  Mutex(engine::Kind kind, Client client, std::string name, const LeaseOptions& lease);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

// holdfast/mutex.h - an exclusive lock on a name, shared by processes and hosts.
//
//   auto client = holdfast::Client::open("redis://127.0.0.1:6379").value();
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
#include <utility>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "holdfast/thread_annotations.h"

namespace holdfast::inline v0 {

// A Mutex meets Cpp17TimedLockable, so std::scoped_lock, std::unique_lock and std::lock
// work with it. It is safe for concurrent use.
//
// The lock belongs to this object, not to a thread: any thread may unlock it. It is not
// re-entrant: a thread that locks it twice waits for itself; see
// holdfast/recursive_mutex.h. On an engine with a server, threads that want the same
// name through the same Client queue inside the process, and one of them at a time asks
// the engine (`Traits::process_queue`).
//
// The table shows what each call does, by the state that this object is in:
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
class HOLDFAST_EXPORT HOLDFAST_CAPABILITY("mutex") Mutex {
 public:
  // Names a lock. The constructor does not talk to the engine and reports no error: a
  // name that breaks the rules of docs/names.md, or a kind that the engine does not
  // have, makes every later call fail. One `name` is one lock for all clients of the
  // same engine.
  Mutex(Client client, std::string name, LeaseOptions lease = {});

  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Releases the lock if it is held, as `unlock()` does.
  ~Mutex();

  // Waits for the lock and returns it as a `Hold`, which releases it when it is
  // destroyed. The hold is a thing of its own: `unlock()` does not release it. The call
  // never throws. When the wait ends without the lock, the error is
  //   Errc::timed_out  another client or thread has the lock; the message names it;
  //   Errc::cancelled  `options.stop` was requested.
  // Every other error means that the lock could not be asked for, not that another
  // client has it: Errc::unavailable or outcome_unknown (try again later; nothing stays
  // behind), bad_name, unsupported, wrong_kind, closed, forked and so on.
  // `error().message()` says what to do.
  [[nodiscard]] Result<Hold> acquire(const WaitOptions& options = {});

  // Does the same without a thread that waits; see holdfast/completion.h.
  void acquire_async(const WaitOptions& options, Completion<Hold> done);
  void acquire_async(Completion<Hold> done) { acquire_async({}, std::move(done)); }

  // Waits without limit until the lock is held through this object. It throws
  // holdfast::Error, a std::system_error, when the lock could not be asked for: with
  // Errc::unavailable, for instance, when the engine has not answered for as long as a
  // lease (see holdfast/retry.h).
  void lock() HOLDFAST_ACQUIRE();

  // Try once, or for as long as `wait`. They return true when the lock is held
  // through this object, and false when another client or thread still had it at the
  // end. They throw holdfast::Error when the engine could not answer: `false` never
  // hides a failure.
  [[nodiscard]] bool try_lock() HOLDFAST_TRY_ACQUIRE(true);
  [[nodiscard]] bool try_lock_for(Timeout wait) HOLDFAST_TRY_ACQUIRE(true);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline)
      HOLDFAST_TRY_ACQUIRE(true) {
    return try_lock_for(Timeout::until(deadline));
  }

  // Releases the lock, and does nothing if it is not held through this object. It never
  // throws and reports no error: a release that the engine did not confirm is retried
  // in the background until it is confirmed. On zookeeper the request is sent and not
  // awaited. A caller that needs the outcome uses `acquire()` and `Hold::release()`.
  void unlock() noexcept HOLDFAST_RELEASE();

  // The token and the loss signal of the lock that is held through this object, as in
  // `Hold`: a lock that was lost keeps its token until `unlock()`. While the lock is
  // free, the token is empty and the stop_token has already been requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  std::string_view name() const noexcept;

 protected:
  Mutex(engine::Kind kind, Client client, std::string name, const LeaseOptions& lease);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inline v0

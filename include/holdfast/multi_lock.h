// SPDX-License-Identifier: Apache-2.0

// holdfast/multi_lock.h - several locks at once, or none of them.
//
//   holdfast::MultiLock both(client, {"account/7", "account/9"});
//   std::scoped_lock guard(both);
//
//   holdfast::MultiLock all({{redis, "orders"}, {local, "spool"}});   // many engines
//   auto holds = all.acquire({.wait = 2s});                           // in all: 2 s
//
// MultiLocks do not deadlock each other, whatever the order in which they name the
// locks. The locks of one client are taken in the order of their names, and a MultiLock
// that waits for a lock of one client holds no lock of another client.

#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/completion.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "holdfast/thread_annotations.h"

namespace holdfast::inline v0 {

// The holds of all the locks. It is move-only. Its destructor releases all of them, in
// the reverse order of taking them.
class [[nodiscard]] HOLDFAST_EXPORT MultiHold {
 public:
  MultiHold() noexcept;  // an empty one, as an empty `Hold`
  MultiHold(MultiHold&&) noexcept;
  MultiHold& operator=(MultiHold&&) noexcept;
  ~MultiHold();

  // One hold for each part, in the order of the parts, each with its own token.
  std::span<const Hold> holds() const noexcept;

  // Requested when the first of the holds is lost, or when they are released; the
  // callbacks run as those of `Hold::lost()` do.
  std::stop_token lost() const noexcept;

  // The shortest `Hold::valid_for()` of them all, and whether it is more than zero.
  std::chrono::nanoseconds valid_for() const noexcept;
  bool valid() const noexcept { return valid_for() > std::chrono::nanoseconds::zero(); }

  // Releases every hold, also after an error, and returns the first error that
  // occurred.
  Result<void> release() noexcept;

  // Does the same without a thread that waits, as `Hold::release_async` does.
  void release_async(Completion<void> done);

 private:
  friend class MultiLock;
  class Impl;
  explicit MultiHold(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

// A MultiLock meets Cpp17TimedLockable and is safe for concurrent use. As with a Mutex,
// the locks belong to this object, not to a thread, and they are not re-entrant.
class HOLDFAST_EXPORT HOLDFAST_CAPABILITY("mutex") MultiLock {
 public:
  struct Part {
    Client client;
    std::string name;
    engine::Kind kind = engine::Kind::mutex;  // or fair_mutex, shared_mutex
    engine::Mode mode = engine::Mode::exclusive;
  };

  // Names the locks; the constructor does not talk to an engine and reports no error.
  // Every later call fails with Errc::bad_argument if there is no part, if a name
  // occurs twice with the same client, or if a kind is not a lock; and with the part's
  // own error if its name is not allowed or its engine does not have its kind.
  explicit MultiLock(std::vector<Part> parts, LeaseOptions lease = {});
  MultiLock(const Client& client, const std::vector<std::string>& names,
            LeaseOptions lease = {});
  MultiLock(const MultiLock&) = delete;
  MultiLock& operator=(const MultiLock&) = delete;

  // Releases the locks if they are held through this object, as `unlock()` does.
  ~MultiLock();

  // Waits until all locks are held. `options.wait` limits the whole call, not each
  // lock. The errors are those of Mutex::acquire; after any of them no lock is held.
  [[nodiscard]] Result<MultiHold> acquire(const WaitOptions& options = {});

  // Does the same without a thread that waits; see holdfast/completion.h. The runner is
  // that of the first part's client.
  void acquire_async(const WaitOptions& options, Completion<MultiHold> done);

  // They return and throw as those of Mutex do.
  void lock() HOLDFAST_ACQUIRE();
  [[nodiscard]] bool try_lock() HOLDFAST_TRY_ACQUIRE(true);
  [[nodiscard]] bool try_lock_for(Timeout wait) HOLDFAST_TRY_ACQUIRE(true);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline)
      HOLDFAST_TRY_ACQUIRE(true) {
    return try_lock_for(Timeout::until(deadline));
  }
  void unlock() noexcept HOLDFAST_RELEASE();

  // The loss signal of the locks that are held through this object, as in MultiHold.
  // While none is held, it has already been requested.
  std::stop_token lost() const noexcept;

 private:
  class Impl;
  class Acquiring;
  std::shared_ptr<Impl> impl_;  // shared with the asynchronous calls
};

}  // namespace holdfast::inline v0

// holdfast/multi_lock.h - several locks at once, or none of them.
//
//   holdfast::MultiLock both(client, {"account/7", "account/9"});
//   std::scoped_lock guard(both);
//
//   holdfast::MultiLock all({{redis, "orders"}, {local, "spool"}});   // many engines
//   auto holds = all.acquire({.wait = 2s});                           // in all: 2 s
//
// Between multi-lockers there is no deadlock, whatever the order in which they name the
// locks: those of one client are taken in one order, and who waits for a lock of one
// client has none of another.

#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast {

// Holds of all the locks. Move-only. Destroyed: all are released, the last one first.
class [[nodiscard]] HOLDFAST_EXPORT MultiHold {
 public:
  MultiHold(MultiHold&&) noexcept;
  MultiHold& operator=(MultiHold&&) noexcept;
  ~MultiHold();

  // In the order of the parts; each with its own token.
  std::span<const Hold> holds() const noexcept;

  // Requested when the first of them is lost, or released. As in `Hold`.
  std::stop_token lost() const noexcept;
  std::chrono::nanoseconds valid_for() const noexcept;
  bool valid() const noexcept { return valid_for() > std::chrono::nanoseconds::zero(); }

  // All of them, whatever happens; the first error that there was.
  Result<void> release() noexcept;

 private:
  friend class MultiLock;
  class Impl;
  explicit MultiHold(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

// Meets Cpp17TimedLockable. As a Mutex it belongs to this object, not to a thread, and
// is not re-entrant. Safe for concurrent use.
class HOLDFAST_EXPORT MultiLock {
 public:
  struct Part {
    Client client;
    std::string name;
    engine::Kind kind = engine::Kind::mutex;  // or fair_mutex, shared_mutex
    engine::Mode mode = engine::Mode::exclusive;
  };

  // A name that is there twice is Errc::bad_argument, as is a kind that is no lock.
  explicit MultiLock(std::vector<Part> parts, LeaseOptions lease = {});
  MultiLock(const Client& client, const std::vector<std::string>& names,
            LeaseOptions lease = {});
  MultiLock(const MultiLock&) = delete;
  MultiLock& operator=(const MultiLock&) = delete;
  ~MultiLock();

  // `options.wait` is for all of them together. On any error none is held.
  [[nodiscard]] Result<MultiHold> acquire(const AcquireOptions& options = {});

  // They throw holdfast::Error; `false` never hides a failure.
  void lock();
  [[nodiscard]] bool try_lock();
  [[nodiscard]] bool try_lock_for(Timeout wait);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(
      const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_for(Timeout::until(deadline));
  }
  void unlock() noexcept;

  std::stop_token lost() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast

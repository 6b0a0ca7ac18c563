// core/gate.h - where the threads of one process queue for one resource.
//
// One of them at a time, in order of arrival, has the *turn*: it asks the engine, and
// keeps the turn for as long as it has the grant. When it is done, the claim may be
// handed over to the next thread without giving it up at the engine, within a budget
// that keeps other processes from starving: a block of tokens that was reserved with
// the grant, and a time.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <stop_token>

#include "base/mutex.h"
#include "core/grant.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

// Safe for concurrent use.
class Gate {
 public:
  // `most`: how long a grant may be handed from thread to thread.
  explicit Gate(std::chrono::nanoseconds most) noexcept : most_(most) {}

  struct Turn {
    std::uint64_t number = 0;
    std::optional<Grant> handed;  // a grant that came with the turn
  };

  // Waits for the turn. Errc::timed_out, cancelled or closed. `wait` zero: at once or
  // not at all.
  Result<Turn> enter(const LeaseOptions& lease, Timeout wait, engine::Deadline until,
                     const std::stop_token* stop);

  // The turn passes on. Nothing happens if it already has.
  void leave(std::uint64_t turn) noexcept;

  // Hands `grant`, which is still valid until `end`, to the next in line, with the next
  // token. False: nobody is there, or it may not have it; the turn is kept.
  bool hand_over(Grant grant, const LeaseOptions& lease,
                 Clock::time_point end) noexcept;

  std::size_t waiting() noexcept;

  // Everybody who waits, now or later, gets Errc::closed.
  void close() noexcept;

 private:
  struct Waiter {
    const LeaseOptions* lease;
    base::CondVar changed;
    std::optional<Turn> turn;
  };

  void pass_on(std::optional<Grant> grant) noexcept HOLDFAST_REQUIRES(mutex_);

  const std::chrono::nanoseconds most_;
  base::Mutex mutex_;
  std::list<Waiter*> waiters_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t last_turn_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t turn_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // zero: free
  bool closed_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::core

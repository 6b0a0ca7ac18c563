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
#include <optional>
#include <stop_token>

#include "base/mutex.h"
#include "core/grant.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

// Safe for concurrent use. There may be very many of them, and few with a queue: they
// share a few mutexes.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

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

  // Hands `grant`, which may pass from thread to thread until `end`, to the next in
  // line, with the next token. False: nobody is there, or it may not have it; the turn
  // is kept.
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
    Waiter* next = nullptr;
  };

  base::Mutex& mutex() const noexcept;
  void append(Waiter& waiter) noexcept HOLDFAST_REQUIRES(mutex());
  void remove(const Waiter& waiter) noexcept HOLDFAST_REQUIRES(mutex());
  void pass_on(std::optional<Grant> grant) noexcept HOLDFAST_REQUIRES(mutex());

  Waiter* first_ HOLDFAST_GUARDED_BY(mutex()) = nullptr;
  std::uint64_t turn_ HOLDFAST_GUARDED_BY(mutex()) = 0;  // the last that was given
  bool taken_ HOLDFAST_GUARDED_BY(mutex()) = false;      // somebody has it
  bool closed_ HOLDFAST_GUARDED_BY(mutex()) = false;
};

}  // namespace holdfast::core

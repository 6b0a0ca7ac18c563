// SPDX-License-Identifier: Apache-2.0

// core/gate.h - where the threads and tasks of one process queue for one resource.
//
// One thread at a time, in order of arrival, has the *turn*: it asks the engine, and
// keeps the turn for as long as it has the grant. An asynchronous call (core/task.h)
// counts as a thread here. When a thread is done, its claim may be handed over to the
// next one without giving it up at the engine. So that other processes do not starve, a
// claim is handed over only while tokens are left of the block that was reserved with
// the grant, and for a limited time.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/mutex.h"
#include "core/lease_terms.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

// The class is safe for concurrent use. There may be very many gates, of which few have
// a queue, so they share a few mutexes.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  struct Turn {
    std::uint64_t number = 0;            // zero means that there is no turn
    std::unique_ptr<LeaseStart> handed;  // a grant that came with the turn
  };

  // The engine's last answer to the thread that has the turn.
  enum class Answer : std::uint8_t { none, failed, blocked, granted };

  // Until when a thread waits for the turn, and then for the first answer to the thread
  // that has it. Without that answer it is not known whether the resource is held.
  struct Limits {
    engine::Deadline turn;    // a time in the past means at once or not at all
    engine::Deadline answer;  // not before `turn`; the gate allows some more time
  };

  // A thread or a task that wants the turn. It stays where it is until it is served or
  // has an error. The lease has to live as long.
  class Waiter {
   public:
    // `has_own_payload` means that its claim carries a text of its own, so that it
    // cannot take over the claim of another thread.
    Waiter(const LeaseOptions& lease, bool has_own_payload) noexcept;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    // Returns whether `poll_turn` or `enter` has found that it has the turn. REQUIRES
    // for `turn`: it has.
    bool served() const noexcept { return served_; }
    const Turn& turn() const noexcept { return turn_; }

   private:
    friend class Gate;
    const LeaseOptions* lease_;
    engine::Signal* signal_ = nullptr;  // not null while it is in the queue
    Turn turn_;
    bool served_ = false;
    bool overdue_ = false;  // waits for an answer only, no longer for the turn
    const bool has_own_payload_;
    Waiter* next_ = nullptr;
    Waiter* previous_ = nullptr;
  };

  // Takes the turn, or joins the queue. If the waiter is not served then, it looks
  // again when `signal` rings, and at the time that is returned at the latest, until it
  // is served or gets an error, which are those of `enter`. With a null `signal` the
  // queue is not joined; the caller looks again at once, with a signal.
  Result<engine::Deadline> poll_turn(Waiter& waiter, const Limits& limits,
                                     engine::Signal* signal, bool stopped);

  // Ends the wait of a waiter that has had no error: it leaves the queue. Returns the
  // turn that it has, if it has one, which the caller then leaves.
  Turn withdraw(Waiter& waiter) noexcept;

  // Waits for the turn. Errc::timed_out means that the resource is held, and
  // Errc::unavailable that the engine does not answer the thread with the turn; the
  // other errors are Errc::cancelled and closed. The call is no cancellation point:
  // pthread_cancel has no effect here.
  Result<void> enter(Waiter& waiter, const Limits& limits, const std::stop_token* stop);

  // The thread with the turn reports what the engine answered. Does nothing if the turn
  // has passed on.
  void report_answer(std::uint64_t turn, Answer answer) noexcept;

  // Passes the turn to the next thread. Does nothing if it has passed on already.
  void leave(std::uint64_t turn) noexcept;

  // Hands a grant, which may go from thread to thread until `end`, to the next waiter,
  // with the next token. False means that no thread waits, or that the next one may not
  // have this grant; the caller then keeps the turn.
  bool hand_over(LeaseStart grant, const LeaseOptions& lease,
                 Clock::time_point end) noexcept;

  std::size_t waiting() noexcept;

  // Every thread that waits or comes later gets Errc::closed.
  void close() noexcept;

 private:
  base::Mutex& mutex() const noexcept;
  Result<void> wait_for_turn(Waiter& waiter, const Limits& limits,
                             const std::stop_token* stop);
  void append(Waiter& waiter, engine::Signal& signal) noexcept
      HOLDFAST_REQUIRES(mutex());
  void remove(Waiter& waiter) noexcept HOLDFAST_REQUIRES(mutex());
  void set_overdue(Waiter& waiter, bool overdue) noexcept HOLDFAST_REQUIRES(mutex());
  void pass_on(std::unique_ptr<LeaseStart> grant) noexcept HOLDFAST_REQUIRES(mutex());
  std::optional<Errc> refusal(bool overdue, bool answer_overdue,
                              bool stopped) const noexcept HOLDFAST_REQUIRES(mutex());
  void set_answer(Answer answer) noexcept HOLDFAST_REQUIRES(mutex());

  Waiter* first_ HOLDFAST_GUARDED_BY(mutex()) = nullptr;
  Waiter* last_ HOLDFAST_GUARDED_BY(mutex()) = nullptr;
  std::uint64_t turn_ HOLDFAST_GUARDED_BY(mutex()) = 0;     // the last one given out
  std::uint32_t overdue_ HOLDFAST_GUARDED_BY(mutex()) = 0;  // waiters in the queue
  bool taken_ HOLDFAST_GUARDED_BY(mutex()) = false;         // whether a thread has it
  Answer answer_ HOLDFAST_GUARDED_BY(mutex()) = Answer::none;  // to that thread
  bool closed_ HOLDFAST_GUARDED_BY(mutex()) = false;
};

}  // namespace holdfast::core

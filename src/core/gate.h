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
#include "core/lease_terms.h"
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
    std::optional<LeaseStart> handed;  // a grant that came with the turn
  };

  // What the engine has told the thread with the turn.
  enum class Answer : std::uint8_t { none, failed, blocked, granted };

  // How long a thread waits for the turn, and then for the first answer to the thread
  // that has it, without which nobody knows whether the resource is held.
  struct Limits {
    engine::Deadline turn;    // in the past: at once or not at all
    engine::Deadline answer;  // not before `turn`
  };

  // Waits for the turn. Errc::timed_out: the resource is held. Errc::unavailable: the
  // engine does not answer the thread with the turn. Or Errc::cancelled or closed. No
  // cancellation point: pthread_cancel has no effect here.
  Result<Turn> enter(const LeaseOptions& lease, const Limits& limits,
                     const std::stop_token* stop);

  // Said by the thread with the turn. Nothing happens if it has passed on.
  void learn(std::uint64_t turn, Answer answer) noexcept;

  // The turn passes on. Nothing happens if it already has.
  void leave(std::uint64_t turn) noexcept;

  // Hands on a grant, which may pass from thread to thread until `end`, to the next in
  // line, with the next token. False: no thread waits, or it may not have it; the turn
  // is kept.
  bool hand_over(LeaseStart grant, const LeaseOptions& lease,
                 Clock::time_point end) noexcept;

  std::size_t waiting() noexcept;

  // Every thread that waits, now or later, gets Errc::closed.
  void close() noexcept;

 private:
  struct Waiter {
    const LeaseOptions* lease;
    base::CondVar changed;
    std::optional<Turn> turn;
    bool overdue = false;  // waits for an answer only
    bool speaks = false;   // its claim is to say what its thread does
    Waiter* next = nullptr;
  };

  base::Mutex& mutex() const noexcept;
  void append(Waiter& waiter) noexcept HOLDFAST_REQUIRES(mutex());
  void remove(const Waiter& waiter) noexcept HOLDFAST_REQUIRES(mutex());
  void pass_on(std::optional<LeaseStart> grant) noexcept HOLDFAST_REQUIRES(mutex());
  std::optional<Errc> why_not(const Waiter& waiter, bool out_of_patience,
                              const std::stop_token* stop) const noexcept
      HOLDFAST_REQUIRES(mutex());
  void set_answer(Answer answer) noexcept HOLDFAST_REQUIRES(mutex());

  Waiter* first_ HOLDFAST_GUARDED_BY(mutex()) = nullptr;
  std::uint64_t turn_ HOLDFAST_GUARDED_BY(mutex()) = 0;  // the last that was given
  bool taken_ HOLDFAST_GUARDED_BY(mutex()) = false;      // a thread has the turn
  Answer answer_ HOLDFAST_GUARDED_BY(mutex()) = Answer::none;  // to that thread
  bool closed_ HOLDFAST_GUARDED_BY(mutex()) = false;
};

}  // namespace holdfast::core

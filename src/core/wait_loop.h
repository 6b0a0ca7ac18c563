// SPDX-License-Identifier: Apache-2.0

// core/wait_loop.h - the one wait loop.
//
//   poll -> [sleep -> poll]* -> done
//
//   WaitLoop loop(bound, options.wait, &options.stop);
//   auto done = loop.run(WaitLoop::First::bare, [&](const engine::Waker& waker) {
//     return look(waker, loop.call_deadline(Clock::now()));   // asks the engine once
//   });
//
// Every wait for an engine runs through this loop: for a claim, for a register to
// change, for an engine that does not answer. `step` polls once and returns until when
// to sleep. `run` takes such steps and blocks in between, on a signal of its thread. A
// caller that must not block takes the same steps with a waker of its own.
//
// Nothing is armed before the first poll has been answered with "not yet": until then
// no signal is borrowed, the renewer keeps no session alive for a waiter, and no stop
// callback is registered.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/backoff.h"
#include "base/transient.h"
#include "core/client_state.h"
#include "holdfast/lease.h"

namespace holdfast::core {

// A WaitLoop lives as long as one call. The class is not safe for concurrent use.
class WaitLoop {
 public:
  // The result of a poll. No value means that the wait is over. A time means "not yet":
  // the next poll is due when the waker rings, and after that time at the latest.
  using Pause = std::optional<std::chrono::nanoseconds>;

  // Asks the engine once. A null waker means that nothing is to be armed.
  using Poll = std::function<Result<Pause>(const engine::Waker& waker)>;

  // Whether the first poll has a waker. If the caller then has to wait, a second poll
  // to arm the waker is saved, which is worth it where a poll costs a round trip.
  enum class First : bool { bare, with_waker };

  // Asks the engine once and does not wait for it (engine::Resource::post_attempt).
  using PostedPoll = std::function<engine::Posted<Pause>(const engine::Waker& waker)>;

  struct Step {
    bool done;
    engine::Deadline sleep_until;  // if not done; a past time means not to sleep
    bool waits = false;            // the next step waits for the engine
  };

  // A null `stop` means that the wait cannot be cancelled.
  WaitLoop(const BoundResource& bound, Timeout wait,
           const std::stop_token* stop) noexcept;
  WaitLoop(const WaitLoop&) = delete;
  WaitLoop& operator=(const WaitLoop&) = delete;
  ~WaitLoop();

  // Returns when a wait ends that starts now. A wait of zero ends with its first poll,
  // not by the clock.
  static engine::Deadline end_of(Timeout wait) noexcept;

  // Starts the time of the wait, which otherwise starts with the first step.
  void start() noexcept;

  // Lets the wait end when another one would have ended that began earlier.
  void start(engine::Deadline until) noexcept;

  // Polls once, unless the wait is over. The next step is to be taken when `waker`
  // rings or `sleep_until` has come. A step with a null waker is followed at once by
  // one with a waker. Errc::timed_out and cancelled end the wait; every other error
  // means that the engine could not answer. A wait without limit ends when the engine
  // has not answered for as long as the client's ttl.
  Result<Step> step(const engine::Waker& waker, const Poll& poll_once);

  // Takes a step that does not wait for the engine. If the engine can only be asked by
  // a poll that waits, the next step is to be `step`.
  Result<Step> step_posted(const engine::Waker& waker, const PostedPoll& poll_once);

  // Returns whether the engine has been asked and has not answered yet.
  bool asking() const noexcept { return asking_; }

  // Takes steps and sleeps in between until the wait is over. Its errors are `step`'s.
  Result<void> run(First first, const Poll& poll_once);

  engine::Deadline until() const noexcept { return until_; }
  bool stopped() const noexcept;

  // Returns why the wait is over, if it is: by time, by a stop or because the client
  // was closed.
  std::optional<Failure> over() const;

  // Returns whether the engine has not answered the last poll.
  bool is_failing() const noexcept { return streak_ != nullptr; }

  // Notes that the engine has not answered, and returns the error to give up with, or
  // nothing if the wait goes on.
  std::optional<Failure> note_failure(const Failure& why);

  // Returns by when a call that is made at `now` should be answered.
  engine::Deadline call_deadline(Clock::time_point now) const noexcept;

 private:
  // What is registered for a caller before it sleeps. The destructor undoes it when the
  // wait is over.
  struct Armed {
    Armed(ClientState& client, bool leased, const engine::Waker& waker,
          const std::stop_token* stop);
    ~Armed();
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;

    const SignalPool::Sleeper sleeper;
    LeaseRenewer* const renewer;  // null where the session need not be kept alive
    std::unique_ptr<RingOnStop> on_stop;
  };
  // The failures of an engine since its last answer.
  struct FailureStreak {
    FailureStreak(Failure failure, base::Backoff pauses);

    Failure why;
    base::Backoff backoff;
    std::chrono::nanoseconds pause{};  // before the next poll
  };

  std::optional<Failure> why_not_poll();
  Result<Step> next_step(const engine::Waker& waker, const Result<Pause>& answer);
  engine::Waker signal(std::optional<SignalPool::BorrowedSignal>& lent) const;

  const BoundResource& bound_;
  ClientState& client_;
  const Timeout wait_;
  const std::stop_token* const stop_;
  bool started_;
  bool polled_;
  bool asking_;
  Clock::time_point until_;
  std::unique_ptr<FailureStreak>
      streak_;  // There may be very many loops that have none.
  std::optional<Armed> armed_;
};

}  // namespace holdfast::core

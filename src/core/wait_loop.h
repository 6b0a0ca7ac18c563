// core/wait_loop.h - the one wait loop.
//
//   poll -> [sleep -> poll]* -> done
//
//   WaitLoop loop(bound, options.wait, &options.stop);
//   auto done = loop.run(WaitLoop::First::bare, [&](const engine::Waker& waker) {
//     return look(waker, loop.call_deadline(Clock::now()));   // asks the engine once
//   });
//
// Everything that waits for an engine waits here: for a claim, for a register to
// change, for an engine that does not answer. `step` polls once and says until when to
// sleep; `run` is the caller that blocks and sleeps on a signal of its thread. A caller
// that must not block takes the same steps with a waker of its own.
//
// Nothing is armed before the first poll has been answered with "not yet": until then
// no signal is borrowed, the renewer keeps no session alive for a waiter, and no stop
// callback is registered.

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "base/backoff.h"
#include "base/transient.h"
#include "core/client_state.h"
#include "holdfast/lease.h"

namespace holdfast::core {

// Lives on the stack of one call. Not safe for concurrent use.
class WaitLoop {
 public:
  // What a poll found. Nothing: the wait is over. A time: not yet; poll again when the
  // waker rings, and after that time at the latest.
  using Pause = std::optional<std::chrono::nanoseconds>;

  // Asks the engine once. A null waker means that nothing is to be armed.
  using Poll = std::function<Result<Pause>(const engine::Waker& waker)>;

  // Whether the first poll has a waker, which saves the engine a second one if it has
  // to wait. Only worth it where a poll costs a round trip.
  enum class First : bool { bare, with_waker };

  struct Step {
    bool done;
    engine::Deadline sleep_until;  // if not done; in the past: do not sleep
  };

  // A null `stop` means that the wait cannot be cancelled.
  WaitLoop(const BoundResource& bound, Timeout wait,
           const std::stop_token* stop) noexcept;
  WaitLoop(const WaitLoop&) = delete;
  WaitLoop& operator=(const WaitLoop&) = delete;
  ~WaitLoop();

  // The time begins to run with this call, or with the first step.
  void start() noexcept;

  // Polls once, unless the wait is over. The next step is to be taken when `waker`
  // rings or `sleep_until` has come. A step with a null waker is followed at once by
  // one with a waker. Errc::timed_out and cancelled; every other error means that the
  // engine could not answer. A wait without limit ends when the engine has not answered
  // for as long as a lease.
  Result<Step> step(const engine::Waker& waker, const Poll& poll_once);

  // Takes steps and sleeps between them until the wait is over. Errors as in `step`.
  Result<void> run(First first, const Poll& poll_once);

  engine::Deadline until() const noexcept { return until_; }
  bool stopped() const noexcept;

  // Whether the engine has not answered the last poll.
  bool troubled() const noexcept { return trouble_.has_value(); }

  // Notes that the engine has not answered. The reason to give up, if there is one.
  std::optional<Failure> endure(const Failure& why);

  // By when one call that is made at `now` should be answered.
  engine::Deadline call_deadline(Clock::time_point now) const noexcept;

 private:
  struct Ring {
    engine::Signal* signal;
    void operator()() const noexcept { signal->ring(); }
  };
  // What a caller that sleeps has made known, and what is undone when the wait is over.
  struct Armed {
    Armed(ClientState& client, bool leased, const engine::Waker& waker,
          const std::stop_token* stop);
    ~Armed();
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;

    const SignalPool::Sleeper sleeper;
    LeaseRenewer* const renewer;  // null where the session needs no keeping alive
    std::optional<std::stop_callback<Ring>> on_stop;
  };
  // An engine that has not answered since its last answer.
  struct Trouble {
    Failure why;
    base::Backoff backoff;
    std::chrono::nanoseconds pause;  // before the next poll
  };

  engine::Waker signal(std::optional<SignalPool::Lent>& lent) const;
  std::optional<Failure> over() const;

  const BoundResource& bound_;
  ClientState& client_;
  const Timeout wait_;
  const std::stop_token* const stop_;
  bool started_;
  bool polled_;
  Clock::time_point until_;
  std::optional<Trouble> trouble_;
  std::optional<Armed> armed_;
};

}  // namespace holdfast::core

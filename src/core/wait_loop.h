// core/wait_loop.h - the one wait loop.
//
//   ask -> [signal.wait -> ask]* -> done
//
// Everything that waits for an engine waits here: for a claim, for a register to
// change, for an engine that does not answer.

#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "base/backoff.h"
#include "base/transient.h"
#include "core/hub.h"
#include "holdfast/lease.h"

namespace holdfast::core {

// Lives on the stack of one call.
class WaitLoop {
 public:
  using Pause = std::optional<std::chrono::nanoseconds>;

  WaitLoop(const WaitLoop&) = delete;
  WaitLoop& operator=(const WaitLoop&) = delete;

 protected:
  // `stop` may be null: nobody cancels.
  WaitLoop(const Bound& bound, Timeout wait, const std::stop_token* stop) noexcept
      : bound_(bound), wait_(wait), stop_(stop) {}
  virtual ~WaitLoop() = default;

  // One step. Nothing: done. A span: not yet; ask again when `waker` rings, or by then.
  // A null `waker`: do not wait for one yet.
  virtual Result<Pause> ask(const engine::Waker& waker) = 0;

  // `armed`: the first step has a waker already. Errc::timed_out and cancelled; any
  // other error: that the engine could not answer. Those who wait without limit give up
  // when it has not answered for as long as a lease.
  Result<void> run(bool armed);

  Timeout wait() const noexcept { return wait_; }
  const std::stop_token* stop() const noexcept { return stop_; }
  engine::Deadline until() const noexcept { return until_; }
  bool stopped() const noexcept { return stop_ != nullptr && stop_->stop_requested(); }

  // The time begins to run with this call, or with `run`.
  void start() noexcept;

  // The engine has not answered the last question.
  bool troubled() const noexcept { return trouble_.has_value(); }

  // The engine has not answered: the reason to give up, if there is one.
  std::optional<Failure> endure(const Failure& why);

  // By when one call that is made at `now` should be answered.
  engine::Deadline call_deadline(Clock::time_point now) const noexcept;

 private:
  void arm();
  std::optional<Failure> over() const;
  Hub& hub() const noexcept { return bound_.hub(); }

  struct Ring {
    engine::Signal* signal;
    void operator()() const noexcept { signal->ring(); }
  };
  struct Waiting {
    explicit Waiting(Keeper& k) : keeper(k) { keeper.add_waiter(); }
    ~Waiting() { keeper.remove_waiter(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    Keeper& keeper;
  };

  const Bound& bound_;
  const Timeout wait_;
  const std::stop_token* const stop_;
  bool started_ = false;
  Clock::time_point until_ = Clock::time_point::max();
  std::optional<Failure> trouble_;  // since the last answer
  base::Backoff backoff_;
  std::chrono::nanoseconds pause_{};
  std::optional<SignalPool::Lent> signal_;
  std::optional<Waiting> waiting_;
  std::optional<std::stop_callback<Ring>> on_stop_;
};

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

// core/attempts.h - asks the engine for one claim, until it is granted or given up.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/acquire.h"
#include "core/gate.h"
#include "core/wait_loop.h"

namespace holdfast::core {

// The part of an acquisition (core/acquisition.h) that comes after the turn of the
// gate: either `run`, or `step` until it ends; then `finish`. The class is not safe for
// concurrent use.
class Attempts {
 public:
  // `gate` is null if there is none; otherwise the caller has this `turn` of it, and
  // keeps it. What it points to must outlive it. The wait ends at `until`.
  struct Params {
    Gate* gate;
    std::uint64_t turn;
    engine::Deadline until;
    std::string_view payload;  // of the claim; empty means the session's
  };
  Attempts(const BoundResourcePtr& bound, const AcquireRequest& request,
           const LeaseTerms& terms, const Params& params);
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;
  ~Attempts();

  Result<void> run();

  // Takes one step, as WaitLoop::step does. Where the engine posts, it does not wait
  // for the engine, unless the step before said so.
  Result<WaitLoop::Step> step(const engine::Waker& waker);
  bool waits() const noexcept { return waits_; }  // whether the next step waits for it

  // Gives the claim up, in steps as those of `step`. Returns nothing when that is done;
  // until then `waker` rings when the answer to the last attempt or to the drop is
  // there. What the engine does not answer is left to the renewer. REQUIRES: the engine
  // posts, and a step has failed.
  std::optional<WaitLoop::Step> give_up(const engine::Waker& waker) noexcept;
  bool given_up() const noexcept { return given_up_; }

  // Returns the grant, or gives the claim up, unless this was done, and returns why.
  Result<LeaseStart> finish(const Result<void>& ended);

 private:
  WaitLoop::First first() const noexcept;
  void prepare(const engine::Waker& waker) noexcept;
  Result<WaitLoop::Pause> poll_once(const engine::Waker& waker);
  engine::Posted<WaitLoop::Pause> poll_posted(const engine::Waker& waker,
                                              const engine::Waker& answered);
  Result<WaitLoop::Pause> interpret(Result<engine::Verdict> verdict,
                                    Clock::time_point sent, bool may_wait);
  void report(Gate::Answer answer) noexcept;
  void accept(const engine::Granted& granted, Clock::time_point sent) noexcept;
  Failure refuse_late(engine::LeaseTime lease, bool may_wait);
  bool may_exist() const noexcept;
  bool collect_answer(const engine::Waker& waker) noexcept;
  engine::Posted<void> post_drop(const engine::Waker& waker) noexcept;
  void abandon() noexcept;

  const BoundResourcePtr& bound_;
  const AcquireRequest& request_;
  Gate* const gate_;
  WaitLoop loop_;
  LeaseStart start_{};        // its claim, terms and turn are set from the beginning
  bool may_exist_ = false;    // whether the engine may know the claim
  bool queued_ = false;       // whether a blocked claim may have an entry in the queue
  bool asked_ = false;        // whether the engine has answered
  bool waits_ = false;        // whether the next step waits for the engine
  bool stepped_ = false;      // whether it takes steps
  bool under_way_ = false;    // whether an attempt was posted and is not answered
  bool unanswered_ = false;   // whether that attempt ended without an answer
  bool dropping_ = false;     // whether a drop was posted
  bool given_up_ = false;     // whether the claim is dropped, or left to the renewer
  Clock::time_point sent_{};  // of the question that is under way
  Gate::Answer last_reported_ = Gate::Answer::none;
};

}  // namespace holdfast::core

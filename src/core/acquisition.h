// SPDX-License-Identifier: Apache-2.0

// core/acquisition.h - one acquisition of a claim, as a call that blocks or in steps.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/acquire.h"
#include "core/gate.h"
#include "core/wait_loop.h"

namespace holdfast::core {

// Either `acquire` is called, or `step` until it ends and then `finish`. The claim is
// returned or given up. The class is not safe for concurrent use.
class Acquisition {
 public:
  // Starts the time of the wait, and notes the LockReason of the calling thread.
  // `bound` and `request` must outlive it.
  Acquisition(const BoundResourcePtr& bound, const AcquireRequest& request);
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  Result<LeaseStart> acquire();

  // Takes one step, as WaitLoop::step does: the turn of the gate is a step, too.
  Result<WaitLoop::Step> step(const engine::Waker& waker);

  // Returns what came of steps that ended with `ended`.
  Result<LeaseStart> finish(const Result<void>& ended);

 private:
  struct Queued {  // at the gate
    Queued(const LeaseOptions& lease, bool speaks,
           const Gate::Limits& patience) noexcept
        : waiter(lease, speaks), limits(patience) {}
    Gate::Waiter waiter;
    const Gate::Limits limits;
  };

  Result<void> wait();
  Result<WaitLoop::Step> step_to_gate(const engine::Waker& waker);
  Gate::Limits gate_limits() const noexcept;
  Failure explain_gate(Failure why) const;
  bool take_turn(const Gate::Turn& turn) noexcept;
  WaitLoop::First first() const noexcept;
  Result<WaitLoop::Pause> poll_once(const engine::Waker& waker);
  void learn(Gate::Answer answer) noexcept;
  void accept(const engine::Granted& granted, Clock::time_point sent) noexcept;
  Failure refuse_late(engine::Lease lease);
  void abandon() noexcept;
  void measure(const Result<LeaseStart>& outcome) const;

  const BoundResourcePtr& bound_;
  const AcquireRequest& request_;
  WaitLoop loop_;
  std::optional<Failure> refusal_;  // why the engine is not asked at all
  std::string payload_;             // of the claim; empty means the session's
  LeaseStart start_{};              // its claim and terms are set from the beginning
  Clock::time_point begin_{};       // for the metrics
  Gate* gate_ = nullptr;
  std::optional<Queued> queued_;
  std::uint64_t turn_ = 0;  // of the gate; zero means that it has none
  bool placed_ = false;     // whether the engine may know the claim
  bool asked_ = false;      // whether a step has attempted the claim
  Gate::Answer learnt_ = Gate::Answer::none;
};

}  // namespace holdfast::core

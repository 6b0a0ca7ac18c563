// SPDX-License-Identifier: Apache-2.0

// core/acquisition.h - one acquisition of a claim, as a call that blocks or in steps.
//
//   turn of the gate -> attempts at the engine (core/attempts.h) -> LeaseStart

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/acquire.h"
#include "core/attempts.h"
#include "core/gate.h"

namespace holdfast::core {

class LeaseStorage;

// Either `acquire` is called, or `step` until it ends and then `finish`. The claim is
// returned or given up. There may be very many that wait for the turn of a gate: until
// they have it, they have no more than they need there. The class is not safe for
// concurrent use.
class Acquisition {
 public:
  // Whether a thread waits or a task, which may queue at a gate of its own.
  enum class Form : bool { blocking, asynchronous };

  // Starts the time of the wait, and notes the LockReason of the calling thread.
  // `bound` and `request` must outlive it.
  Acquisition(const BoundResourcePtr& bound, const AcquireRequest& request, Form form);
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  Result<LeaseStart> acquire();

  // Joins the queue of the gate without asking the engine, so that calls queue in the
  // order in which they were made. Returns until when to sleep, or nothing if the first
  // step is to be taken now.
  std::optional<WaitLoop::Step> begin(const engine::Waker& waker);

  // Takes one step, as WaitLoop::step does: the turn of the gate is a step, too.
  Result<WaitLoop::Step> step(const engine::Waker& waker);

  // Returns what came of steps that ended with `ended`.
  Result<LeaseStart> finish(const Result<void>& ended);

  // Returns where the lease may begin that `finish` has returned, or null: a grant that
  // was handed over has no such storage.
  std::shared_ptr<LeaseStorage> take_storage() noexcept { return std::move(storage_); }

 private:
  // Whether it has come as far as the gate or the engine.
  bool begun() const noexcept { return gate_ != nullptr || storage_ != nullptr; }
  Result<WaitLoop::Step> advance(const engine::Waker& waker);
  bool stopped() const noexcept;
  bool limited() const noexcept;
  Gate::Limits limits() const noexcept;
  Attempts::Params params() const noexcept;
  Result<WaitLoop::Step> step_to_gate(const engine::Waker& waker);
  void ring_on_stop(const engine::Waker& waker);
  void withdraw() noexcept;
  Failure explain_gate(Failure why) const;
  Failure explained(const Failure& why) const;
  Result<LeaseStart> conclude(Result<LeaseStart> outcome);
  void measure(const Result<LeaseStart>& outcome) const;

  const BoundResourcePtr& bound_;
  const AcquireRequest& request_;
  std::unique_ptr<const Failure> failure_;      // with which it ends, if that is known
  std::unique_ptr<const std::string> payload_;  // of the claim, if it has its own
  engine::Deadline until_ = engine::Deadline::max();
  Clock::time_point begin_{};  // if there are metrics or a limit
  Gate* gate_ = nullptr;
  Gate::Waiter waiter_;
  std::unique_ptr<RingOnStop> on_stop_;
  std::shared_ptr<LeaseStorage> storage_;  // of the attempts, when it has come so far
};

}  // namespace holdfast::core

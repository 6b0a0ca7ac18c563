// SPDX-License-Identifier: Apache-2.0

// primitives/optimistic_loop.h - changes a register by compare and swap, as often as
// needed.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/wait_loop.h"
#include "holdfast/counter.h"

namespace holdfast::primitives {

// An OptimisticLoop lives as long as one call. It reads the number, computes the next
// one and swaps them, and starts again if another client has changed the number.
//
// A swap that was not answered is repeated under its ticket before anything else is
// done. It is repeated within the caller's time and for the client's ttl at the
// longest, because engines forget tickets. Without an answer by then the call fails
// with Errc::outcome_unknown.
class OptimisticLoop {
 public:
  using Next = std::function<std::optional<std::int64_t>(std::int64_t)>;

  OptimisticLoop(const core::BoundResource& bound, const WaitOptions& options,
                 const Next& next) noexcept
      : bound_(bound), next_(next), loop_(bound, options.wait, &options.stop) {}

  Result<Change> run();

  // Take its place in an asynchronous call (core/call.h).
  Result<core::WaitLoop::Step> step(const engine::Waker& waker);
  Result<Change> finish(const Result<void>& done);

 private:
  // A swap that was sent and not yet answered.
  struct Swap {
    std::int64_t to;
    engine::Ticket ticket;
    std::optional<Clock::time_point> in_doubt_since{};  // when an answer was first lost
  };

  Result<core::WaitLoop::Pause> poll_once();
  Result<void> choose();
  bool doubted_for_too_long() const;
  std::chrono::nanoseconds pause() const;

  const core::BoundResource& bound_;
  const Next& next_;
  core::WaitLoop loop_;
  std::optional<engine::Value> seen_;
  std::optional<Swap> swap_;
  std::optional<Failure> gave_up_;
  Change change_{.tries = 0};
};

}  // namespace holdfast::primitives

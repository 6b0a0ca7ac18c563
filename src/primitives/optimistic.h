// primitives/optimistic.h - read, compute, swap; again if somebody was faster.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/wait_loop.h"
#include "holdfast/counter.h"

namespace holdfast::primitives {

// Lives on the stack of one call. A swap that was not answered is repeated under its
// ticket before anything else is done, within the caller's time and for a lease at the
// longest, since an engine forgets tickets. Without an answer by then the call ends in
// Errc::outcome_unknown.
class Optimistic {
 public:
  using Next = std::function<std::optional<std::int64_t>(std::int64_t)>;

  Optimistic(const core::BoundResource& bound, const WaitOptions& options,
             const Next& next) noexcept
      : bound_(bound), next_(next), loop_(bound, options.wait, &options.stop) {}

  Result<Change> run();

 private:
  // A number that was sent and not yet answered.
  struct Swap {
    std::int64_t to;
    engine::Ticket ticket;
    std::optional<Clock::time_point> in_doubt_since{};  // the engine may have made it
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

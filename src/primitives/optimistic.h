// primitives/optimistic.h - read, compute, swap; again if somebody was faster.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/wait_loop.h"
#include "holdfast/counter.h"

namespace holdfast::primitives {

// Lives on the stack of one call.
class Optimistic final : core::WaitLoop {
 public:
  using Next = std::function<std::optional<std::int64_t>(std::int64_t)>;

  Optimistic(const core::Bound& bound, const AcquireOptions& options,
             const Next& next) noexcept
      : WaitLoop(bound, options.wait, &options.stop), bound_(bound), next_(next) {}

  Result<Change> run();

 private:
  Result<Pause> ask(const engine::Waker& waker) override;
  std::chrono::nanoseconds pause() const;

  const core::Bound& bound_;
  const Next& next_;
  std::optional<engine::Value> seen_;
  Change change_{.tries = 0};
};

}  // namespace holdfast::primitives

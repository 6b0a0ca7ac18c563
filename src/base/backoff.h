// base/backoff.h - the pauses between tries at a server that cannot be reached.
//
//   Backoff backoff(policy);
//   while (!(done = try_it()) && !backoff.is_exhausted()) sleep(backoff.failed());

#pragma once

#include <chrono>

#include "holdfast/clock.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::base {

// A distinct object is not safe for concurrent use.
class Backoff {
 public:
  explicit Backoff(const RetryPolicy& policy = {}) noexcept : policy_(policy) {}

  // One more try has failed. The pause before the next.
  std::chrono::nanoseconds failed();

  // The server was reached: the next failure is the first one.
  void reset() noexcept { *this = Backoff(policy_); }

  bool is_exhausted() const noexcept {
    return policy_.times && tries_ > *policy_.times;
  }
  std::chrono::nanoseconds elapsed() const noexcept;  // since the first failure

  // Says also how often it was tried, if the policy sets a limit.
  Failure explain(Failure why) const;

 private:
  RetryPolicy policy_;
  int tries_ = 0;
  std::chrono::nanoseconds pause_{};
  Clock::time_point since_{};
};

}  // namespace holdfast::base

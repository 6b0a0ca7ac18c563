// SPDX-License-Identifier: Apache-2.0

// base/backoff.h - the pauses between attempts to reach a server.
//
//   Backoff backoff(policy);
//   while (!(done = try_it()) && !backoff.is_exhausted()) sleep(backoff.failed());

#pragma once

#include <chrono>

#include "holdfast/clock.h"
#include "holdfast/result.h"
#include "holdfast/retry.h"

namespace holdfast::base {

// One object is not safe for concurrent use.
class Backoff {
 public:
  explicit Backoff(const RetryPolicy& policy = {}) noexcept : policy_(policy) {}

  // Records one more failed attempt, and returns the pause before the next.
  std::chrono::nanoseconds failed();

  // Records that the server was reached: the next failure counts as the first one.
  void reset() noexcept { *this = Backoff(policy_); }

  bool is_exhausted() const noexcept {
    return policy_.times && tries_ > *policy_.times;
  }
  std::chrono::nanoseconds elapsed() const noexcept;  // since the first failure

  // Adds how many attempts were made, if the policy sets a limit.
  Failure explain(Failure why) const;

 private:
  RetryPolicy policy_;
  int tries_ = 0;
  std::chrono::nanoseconds pause_{};
  Clock::time_point since_{};
};

}  // namespace holdfast::base

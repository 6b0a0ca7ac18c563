// SPDX-License-Identifier: Apache-2.0

#include "base/backoff.h"

#include <string>

#include "base/durations.h"
#include "base/pause.h"

namespace holdfast::base {
namespace {

constexpr int kMostGrowth = 50;

}  // namespace

std::chrono::nanoseconds Backoff::failed() {
  if (tries_++ == 0) since_ = Clock::now();
  pause_ = grown(pause_, policy_.base, policy_.base * kMostGrowth);
  return jittered(pause_);
}

std::chrono::nanoseconds Backoff::elapsed() const noexcept {
  return tries_ == 0 ? Clock::duration::zero() : Clock::now() - since_;
}

Failure Backoff::explain(Failure why) const {
  if (!policy_.times) return why;
  why.context = why.message();
  why.context += tries_ == 1 ? "; tried once"
                             : "; tried " + std::to_string(tries_) + " times in " +
                                   spell_duration(elapsed());
  return why;
}

}  // namespace holdfast::base

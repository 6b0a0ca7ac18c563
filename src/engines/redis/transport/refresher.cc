// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/refresher.h"

#include <exception>
#include <utility>

#include "base/pause.h"

namespace holdfast::redis {

Refresher::Refresher(const char* name, std::chrono::milliseconds pause,
                     const RetryPolicy& retry, std::function<bool()> refresh)
    : pause_(pause),
      refresh_(std::move(refresh)),
      backoff_(retry),
      thread_(name, [this] { return look(); }) {}

bool Refresher::start() noexcept {
  started_.store(true);
  return thread_.wake();
}

// Before the start it is only noted. Later there is a thread, so `wake` finds it.
void Refresher::request_refresh() noexcept {
  wanted_.store(true);
  if (started_.load()) (void)thread_.wake();
}

bool Refresher::try_to_refresh() noexcept {
  try {
    return refresh_();
  } catch (const std::exception&) {  // There is no memory.
    wanted_.store(true);
    return false;
  }
}

Clock::time_point Refresher::look() {
  if (Clock::now() < rests_until_) return rests_until_;
  if (!wanted_.exchange(false)) return Clock::time_point::max();
  const bool refreshed = try_to_refresh();
  if (refreshed) backoff_.reset();
  rests_until_ =
      Clock::now() + (refreshed ? base::jittered(pause_) : backoff_.failed());
  return rests_until_;
}

}  // namespace holdfast::redis

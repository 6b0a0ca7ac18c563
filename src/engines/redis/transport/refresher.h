// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/refresher.h - a thread that learns something anew whenever
// that is wanted: the map of a cluster, the primary that sentinels watch.
//
// The questions of many callers become one: whatever is wanted while the thread asks or
// rests is learnt in the next round.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/backoff.h"
#include "base/poll_thread.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// The class is safe for concurrent use.
class Refresher {
 public:
  // `refresh` is called on the thread, with no mutex held, and returns whether it has
  // succeeded. After a success the thread rests for `pause`, so that it does not run
  // hot; after failures it rests as `retry` says. A round that throws, for want of
  // memory, has failed, and another one is wanted.
  Refresher(const char* name, std::chrono::milliseconds pause, const RetryPolicy& retry,
            std::function<bool()> refresh);

  // Starts the thread, whose first round is wanted already. Returns false if the system
  // gives none.
  [[nodiscard]] bool start() noexcept;

  // Ends the thread, after the round that is under way.
  void stop() noexcept { thread_.stop(); }

  // Asks for one more round. `refresh` itself may call it, too.
  void request_refresh() noexcept;

 private:
  Clock::time_point look();
  bool try_to_refresh() noexcept;

  const std::chrono::milliseconds pause_;
  const std::function<bool()> refresh_;
  std::atomic<bool> started_{false};
  std::atomic<bool> wanted_{true};
  base::Backoff backoff_;            // Only the thread uses it.
  Clock::time_point rests_until_{};  // likewise
  base::PollThread thread_;
};

}  // namespace holdfast::redis

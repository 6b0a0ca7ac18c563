// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/refresher.h - a thread that learns something anew whenever
// that is wanted: the map of a cluster, the primary that sentinels watch.
//
// The questions of many callers become one: whatever is wanted while the thread asks or
// rests is learnt in the next round.

#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "base/mutex.h"
#include "holdfast/retry.h"

namespace holdfast::redis {

// The class is safe for concurrent use.
class Refresher {
 public:
  // `refresh` is called on the thread, with no mutex held, and returns whether it has
  // succeeded. After a success the thread rests for `pause`, so that it does not run
  // hot; after failures it rests as `retry` says.
  Refresher(std::chrono::milliseconds pause, const RetryPolicy& retry,
            std::function<bool()> refresh);
  ~Refresher();  // stops
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;

  // Starts the thread, whose first round is wanted already.
  void start(const char* name);

  // Ends the thread, after the round that is under way.
  void stop() noexcept;

  // Asks for one more round. `refresh` itself may call it, too.
  void request_refresh();

 private:
  void run();

  const std::chrono::milliseconds pause_;
  const RetryPolicy retry_;
  const std::function<bool()> refresh_;

  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool wanted_ HOLDFAST_GUARDED_BY(mutex_) = true;
  std::thread thread_;
};

}  // namespace holdfast::redis

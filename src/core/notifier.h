// SPDX-License-Identifier: Apache-2.0

// core/notifier.h - the threads that callbacks run on.

#pragma once

#include <functional>
#include <stop_token>

#include "base/thread_pool.h"

namespace holdfast::core {

// All of the user's code that Holdfast calls on its own threads runs here: the
// callbacks of lost(), of subscriptions, and the log. It may block, and it may destroy
// the last copy of the client; neither delays a renewal or another callback. The first
// task starts the first thread. The class is safe for concurrent use.
class Notifier {
 public:
  Notifier();

  // Runs a task soon. The caller runs it itself if the system gives no thread, and
  // after `stop`.
  void post(const std::function<void()>& task);

  // Requests a stop. A source without a state has no callback, so nothing is done.
  void post(const std::stop_source& source);

  // Works as `post`, but the caller never runs the task: false means that nothing will.
  [[nodiscard]] bool try_post(const std::stop_source& source) noexcept;
  [[nodiscard]] bool try_post(std::function<void()> task);

  // Runs what was posted and waits until it is done. A callback that calls it does not
  // wait: the threads end by themselves when they have run what is left.
  void stop() noexcept;

  // Returns whether the caller is a callback.
  bool inside() const noexcept { return pool_.inside(); }

 private:
  base::ThreadPool pool_;
};

}  // namespace holdfast::core

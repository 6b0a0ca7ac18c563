// core/notifier.h - the threads that callbacks run on.

#pragma once

#include <functional>
#include <stop_token>

#include "base/thread_pool.h"

namespace holdfast::core {

// All code of the user's that Holdfast calls by itself runs here: the callbacks of
// lost(), news, the log. It may block, and it may let go of the last copy of the
// client; neither delays a renewal or another callback. The first notice starts the
// first thread. Safe for concurrent use.
class Notifier {
 public:
  Notifier();

  // Runs a task soon. Without any thread to be had, and after `stop`, the caller runs
  // it.
  void post(const std::function<void()>& task);

  // Requests a stop. A source without a state: it has no listener, nothing is done.
  void post(const std::stop_source& source);

  // As `post`, but never runs anything itself: false, it is not delivered.
  [[nodiscard]] bool try_post(const std::stop_source& source);
  [[nodiscard]] bool try_post(std::function<void()> task);

  // Delivers what was posted and waits for the callbacks that run. Called by a
  // callback, it does not wait: the threads end by themselves when they have delivered
  // what is left.
  void stop() noexcept;

  // Whether the caller is a callback.
  bool inside() const noexcept { return pool_.inside(); }

 private:
  base::ThreadPool pool_;
};

}  // namespace holdfast::core

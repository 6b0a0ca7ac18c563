// core/notifier.h - the thread that callbacks run on.

#pragma once

#include <functional>
#include <memory>
#include <stop_token>

namespace holdfast::core {

// Callbacks may block, and they may let go of the last copy of the client: neither
// delays the keeper. The thread starts with the first notice. Safe for concurrent use.
class Notifier {
 public:
  Notifier();
  ~Notifier();  // as `stop()`

  // Runs a task soon, on the notifier's thread.
  void post(std::function<void()> task);

  // Requests a stop there. A source without a state: nobody wants to know.
  void post(std::stop_source source);

  // Delivers what was posted, then ends the thread. Called by a callback: the thread
  // ends by itself when that has returned. Later notices are delivered by the caller.
  void stop() noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace holdfast::core

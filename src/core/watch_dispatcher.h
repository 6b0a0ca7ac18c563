// SPDX-License-Identifier: Apache-2.0

// core/watch_dispatcher.h - the thread that looks at subscribed resources.

#pragma once

#include <memory>

namespace holdfast::core {

class Subscriber;

// Every client has one; its thread starts with the first subscriber. It looks at a
// resource when the engine rings, and otherwise when the watch says at the latest. The
// class is safe for concurrent use.
class WatchDispatcher {
 public:
  WatchDispatcher();
  ~WatchDispatcher();  // calls `stop()`

  // False means that the system gives no thread; the subscriber was not added then.
  bool add(std::shared_ptr<Subscriber> subscriber);

  // When this has returned, `look` of the subscriber is not called any more.
  void remove(const Subscriber& subscriber) noexcept;

  void stop() noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::core

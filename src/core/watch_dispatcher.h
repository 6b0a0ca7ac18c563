// core/watch_dispatcher.h - the thread that looks at resources with a subscription.

#pragma once

#include <memory>

namespace holdfast::core {

class Subscriber;

// One per client; its thread starts with the first subscriber. It looks when the engine
// rings, and otherwise by when a watch says. Safe for concurrent use.
class WatchDispatcher {
 public:
  WatchDispatcher();
  ~WatchDispatcher();  // as `stop()`

  void add(std::shared_ptr<Subscriber> subscriber);

  // It is not looked for any more when this has returned.
  void remove(const Subscriber& subscriber) noexcept;

  void stop() noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::core

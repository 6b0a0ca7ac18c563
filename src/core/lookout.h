// core/lookout.h - the thread that looks at resources with a subscription.

#pragma once

#include <memory>

namespace holdfast::core {

class Listener;

// One per client; its thread starts with the first listener. It looks when the engine
// rings, and otherwise by when a watch says. Safe for concurrent use.
class Lookout {
 public:
  Lookout();
  ~Lookout();  // as `stop()`

  void add(std::shared_ptr<Listener> listener);

  // It is not looked for any more when this has returned.
  void remove(const Listener& listener) noexcept;

  void stop() noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::core

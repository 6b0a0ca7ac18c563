// holdfast/subscription.h - news for as long as somebody wants them.
//
//   auto news = count.on_change([](const holdfast::Versioned& now) { ... });
//   ...
//   news->cancel();                               // optional: the destructor does it

#pragma once

#include <functional>
#include <memory>

#include "holdfast/export.h"

namespace holdfast {

namespace core {
class Subscriber;
}

// Runs a task at some time, on a thread of its own choice, without waiting for it.
// Empty: Holdfast's notifier threads, where those of different subscriptions may run at
// the same time; they may block, they must not throw.
using Executor = std::function<void(std::function<void()>)>;

// Move-only. News come one after the other, never two at once; what was overtaken by a
// newer state may be left out. Errors of the engine are not news: it is asked again.
class [[nodiscard]] HOLDFAST_EXPORT Subscription {
 public:
  Subscription() = default;
  Subscription(Subscription&&) noexcept = default;
  Subscription& operator=(Subscription&&) noexcept;
  ~Subscription();  // as `cancel()`

  // No news starts after it has returned. Waits for one that is being told, unless that
  // is what calls it.
  void cancel() noexcept;

  // For primitives: src/core/watch_dispatcher.h.
  explicit Subscription(std::shared_ptr<core::Subscriber> subscriber) noexcept;

 private:
  std::shared_ptr<core::Subscriber> subscriber_;
};

}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

// holdfast/subscription.h - calls a listener for as long as it is wanted.
//
//   auto news = limit.on_change(
//       [](const holdfast::Versioned& now) { use(now.number); });
//   if (!news) return report(news.error());
//   news->cancel();                               // optional: the destructor does it

#pragma once

#include <functional>
#include <memory>

#include "holdfast/export.h"

namespace holdfast::core {
class Access;
class Subscriber;
}  // namespace holdfast::core

namespace holdfast::inline v0 {

// An executor runs the task that it is given, soon and on a thread of its own choice,
// and returns without waiting for it. An empty executor stands for Holdfast's notifier
// threads, where the listeners of different subscriptions may run at the same time.
// Listeners may block there; they must not throw.
using Executor = std::function<void(std::function<void()>)>;

// A Subscription is move-only. Its listener is called for one change after the other,
// never for two at once. A state that a newer one has overtaken may be left out. The
// listener is not told of errors of the engine: the engine is asked again.
class [[nodiscard]] HOLDFAST_EXPORT Subscription {
 public:
  Subscription() = default;
  Subscription(Subscription&&) noexcept = default;
  Subscription& operator=(Subscription&&) noexcept;
  ~Subscription();  // cancels, as `cancel()` does

  // Ends the subscription: the listener is not called after `cancel()` has returned. If
  // the listener is running, `cancel()` waits for it, unless the listener itself is the
  // caller.
  void cancel() noexcept;

 private:
  friend class core::Access;
  explicit Subscription(std::shared_ptr<core::Subscriber> subscriber) noexcept;
  std::shared_ptr<core::Subscriber> subscriber_;
};

}  // namespace holdfast::inline v0

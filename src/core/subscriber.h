// SPDX-License-Identifier: Apache-2.0

// core/subscriber.h - one subscription to the changes of a resource.

#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/mutex.h"
#include "core/client_state.h"
#include "holdfast/subscription.h"

namespace holdfast::core {

// The dispatcher calls `look`, and the news that this returns runs on the user's
// executor, or on a thread of the notifier if there is none. If several changes come
// before the callback has run, only the last one is told. The class is safe for
// concurrent use.
class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  // Asks the engine and returns the news to tell. An empty function means that nothing
  // is new. A look that throws has seen nothing: the next one returns its news.
  using News = std::function<void()>;
  using Look = std::function<Result<News>(engine::Deadline)>;

  Subscriber(std::shared_ptr<ClientState> state, BoundResourcePtr bound, Look look,
             Executor executor);
  ~Subscriber();

  // The dispatcher calls this on its thread. Returns when to look again at the latest,
  // even if the waker was not rung.
  Clock::time_point look(const engine::Waker& waker);

  // Works as Subscription::cancel does.
  void cancel() noexcept;

  // Whether the dispatcher has to look now, and when it has to look at the latest. The
  // dispatcher's mutex guards both.
  bool rung = true;
  Clock::time_point due{};

 private:
  Result<void> ask(const engine::Waker& waker);
  void tell(News news);
  void tell_all() noexcept;

  const std::shared_ptr<ClientState> state_;
  const BoundResourcePtr bound_;
  const Look look_;
  const Executor executor_;
  engine::Watch watch_{};  // used on the dispatcher's thread only
  int failures_ = 0;       // in a row; used on the dispatcher's thread only

  base::Mutex mutex_;
  base::CondVar told_;
  News pending_ HOLDFAST_GUARDED_BY(mutex_);
  bool scheduled_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool cancelled_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool telling_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread::id teller_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::core

// core/subscriber.h - one subscription to the changes of a resource.

#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/mutex.h"
#include "core/client_state.h"
#include "holdfast/subscription.h"

namespace holdfast::core {

// Safe for concurrent use. The dispatcher asks `look`; what that returns is told on the
// executor, or on the notifier's thread.
class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  // Looks at the engine. The news to tell, or an empty function: nothing is new.
  using News = std::function<void()>;
  using Look = std::function<Result<News>(engine::Deadline)>;

  Subscriber(std::shared_ptr<ClientState> state, BoundPtr bound, Look look,
             Executor executor);
  ~Subscriber();

  // For the dispatcher, on its thread: by when to look again, rung or not.
  Clock::time_point look(const engine::Waker& waker);

  // As Subscription::cancel.
  void cancel() noexcept;

  // Whether the dispatcher has to come, and when it must at the latest. Guarded by the
  // dispatcher's mutex.
  bool rung = true;
  Clock::time_point due{};

 private:
  Result<News> ask(const engine::Waker& waker);
  void tell(News news);
  void tell_all();

  const std::shared_ptr<ClientState> state_;
  const BoundPtr bound_;
  const Look look_;
  const Executor executor_;
  engine::Watch watch_{};  // of the dispatcher's thread
  int failures_ = 0;       // in a row; of the dispatcher's thread

  base::Mutex mutex_;
  base::CondVar told_;
  News pending_ HOLDFAST_GUARDED_BY(mutex_);
  bool scheduled_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool cancelled_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool telling_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread::id teller_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::core

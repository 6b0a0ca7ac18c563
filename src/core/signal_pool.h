// core/signal_pool.h - the signals that blocked callers sleep on.

#pragma once

#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// A signal is made when a caller first has to wait, and lent again after that: there
// are as many as there ever were waiters at once. Safe for concurrent use.
class SignalPool {
 public:
  explicit SignalPool(engine::Session& session) noexcept : session_(session) {}

  // Gives the signal back when destroyed.
  class Lent {
   public:
    Lent(SignalPool& pool, engine::Waker waker) noexcept;
    Lent(Lent&&) noexcept = default;
    Lent& operator=(Lent&&) = delete;
    ~Lent();
    const engine::Waker& waker() const noexcept { return waker_; }

   private:
    SignalPool* pool_;
    engine::Waker waker_;
  };
  Lent borrow();

  // Wakes everybody who sleeps on one of them.
  void ring_all() noexcept;

 private:
  void give_back(engine::Waker waker) noexcept;

  engine::Session& session_;
  base::Mutex mutex_;
  std::vector<engine::Waker> idle_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<engine::Waker> lent_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::core

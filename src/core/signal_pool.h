// SPDX-License-Identifier: Apache-2.0

// core/signal_pool.h - the signals that blocked callers sleep on.

#pragma once

#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// Rings a signal, which has to live as long, when a stop is requested.
struct RingSignal {
  engine::Signal* signal;
  void operator()() const noexcept { signal->ring(); }
};
using RingOnStop = std::stop_callback<RingSignal>;

// The class is safe for concurrent use.
class SignalPool {
 public:
  explicit SignalPool(engine::Session& session) noexcept : session_(session) {}

  // A borrowed signal, which the destructor gives back. A signal is made when none is
  // idle, so there are as many as there ever were callers at once.
  class BorrowedSignal {
   public:
    BorrowedSignal(SignalPool& pool, engine::Waker waker) noexcept;
    BorrowedSignal(BorrowedSignal&&) noexcept = default;
    BorrowedSignal& operator=(BorrowedSignal&&) = delete;
    ~BorrowedSignal();
    const engine::Waker& waker() const noexcept { return waker_; }

   private:
    SignalPool* pool_;
    engine::Waker waker_;
  };
  BorrowedSignal borrow();

  // As long as a Sleeper exists, `ring_all` rings its waker, borrowed here or not.
  class Sleeper {
   public:
    Sleeper(SignalPool& pool, const engine::Waker& waker) noexcept;
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper();

   private:
    friend class SignalPool;
    SignalPool& pool_;
    const engine::Waker waker_;
    Sleeper* next_ = nullptr;  // guarded by the pool's mutex
    Sleeper* previous_ = nullptr;
  };

  // Wakes every caller that sleeps.
  void ring_all() noexcept;

 private:
  engine::Session& session_;
  base::Mutex mutex_;
  std::vector<engine::Waker> idle_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t made_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Sleeper* first_ HOLDFAST_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace holdfast::core

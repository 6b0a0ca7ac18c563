#include "core/signal_pool.h"

#include <utility>

namespace holdfast::core {

SignalPool::Lent::Lent(SignalPool& pool, engine::Waker waker) noexcept
    : pool_(&pool), waker_(std::move(waker)) {}

SignalPool::Lent::~Lent() {
  if (waker_ != nullptr) pool_->give_back(std::move(waker_));
}

SignalPool::Lent SignalPool::borrow() {
  engine::Waker waker;
  {
    base::MutexLock lock(mutex_);
    if (!idle_.empty()) {
      waker = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (waker == nullptr) waker = session_.signal();
  base::MutexLock lock(mutex_);
  lent_.push_back(waker);
  idle_.reserve(lent_.size() + idle_.size());
  return {*this, std::move(waker)};
}

void SignalPool::give_back(engine::Waker waker) noexcept {
  base::MutexLock lock(mutex_);
  std::erase(lent_, waker);
  idle_.push_back(std::move(waker));
}

void SignalPool::ring_all() noexcept {
  base::MutexLock lock(mutex_);
  for (const engine::Waker& waker : lent_) waker->ring();
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "core/signal_pool.h"

#include <utility>

namespace holdfast::core {

SignalPool::BorrowedSignal::BorrowedSignal(SignalPool& pool,
                                           engine::Waker waker) noexcept
    : pool_(&pool), waker_(std::move(waker)) {}

SignalPool::BorrowedSignal::~BorrowedSignal() {
  if (waker_ == nullptr) return;
  base::MutexLock lock(pool_->mutex_);
  pool_->idle_.push_back(std::move(waker_));
}

SignalPool::BorrowedSignal SignalPool::borrow() {
  {
    base::MutexLock lock(mutex_);
    if (!idle_.empty()) {
      engine::Waker waker = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(waker)};
    }
    idle_.reserve(++made_);  // so that giving one back cannot fail
  }
  return {*this, session_.signal()};
}

SignalPool::Sleeper::Sleeper(SignalPool& pool, const engine::Waker& waker) noexcept
    : pool_(pool), waker_(waker) {
  base::MutexLock lock(pool_.mutex_);
  next_ = pool_.first_;
  if (next_ != nullptr) next_->previous_ = this;
  pool_.first_ = this;
}

SignalPool::Sleeper::~Sleeper() {
  base::MutexLock lock(pool_.mutex_);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : pool_.first_) = next_;
}

void SignalPool::ring_all() noexcept {
  base::MutexLock lock(mutex_);
  for (const Sleeper* each = first_; each != nullptr; each = each->next_) {
    each->waker_->ring();
  }
}

}  // namespace holdfast::core

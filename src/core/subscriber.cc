// SPDX-License-Identifier: Apache-2.0

#include "core/subscriber.h"

#include <algorithm>
#include <utility>

#include "base/ask_engine.h"
#include "core/watch_dispatcher.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLongestPause = 1s;

}  // namespace

Subscriber::Subscriber(std::shared_ptr<ClientState> state, BoundResourcePtr bound,
                       Look look, Executor executor)
    : state_(std::move(state)),
      bound_(std::move(bound)),
      look_(std::move(look)),
      executor_(std::move(executor)) {}

Subscriber::~Subscriber() = default;

// The watch is set before the look, so that no change between the two is missed.
Result<Subscriber::News> Subscriber::ask(const engine::Waker& waker) {
  if (watch_.keep == nullptr) {
    auto watch = bound_->resource().watch(waker, bound_->call_deadline());
    if (!watch) return std::move(watch).error();
    watch_ = *std::move(watch);
  }
  return look_(bound_->call_deadline());
}

Clock::time_point Subscriber::look(const engine::Waker& waker) {
  auto news = base::ask_engine([&] { return ask(waker); });
  const auto now = Clock::now();
  if (!news) {
    const auto pause = 10ms * (1 << std::min(failures_++, 10));
    return now + std::min<std::chrono::nanoseconds>(pause, kLongestPause);
  }
  failures_ = 0;
  if (*news) tell(*std::move(news));
  return Timeout(watch_.retry_after).deadline_from(now);
}

void Subscriber::tell(News news) {
  {
    base::MutexLock lock(mutex_);
    if (cancelled_) return;
    pending_ = std::move(news);
    if (std::exchange(scheduled_, true)) return;
  }
  auto task = [self = shared_from_this()] { self->tell_all(); };
  if (executor_) {
    executor_(std::move(task));
  } else {
    state_->notifier().post(task);
  }
}

void Subscriber::tell_all() {
  base::MutexLock lock(mutex_);
  while (pending_ && !cancelled_) {
    const News news = std::exchange(pending_, nullptr);
    telling_ = true;
    teller_ = std::this_thread::get_id();
    lock.unlock();
    news();
    lock.lock();
    telling_ = false;
    told_.notify_all();
  }
  scheduled_ = false;
}

void Subscriber::cancel() noexcept {
  if (state_->forked()) return;
  {
    base::MutexLock lock(mutex_);
    cancelled_ = true;
    while (telling_ && teller_ != std::this_thread::get_id()) told_.wait(lock);
  }
  state_->watch_dispatcher().remove(*this);
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "core/subscriber.h"

#include <algorithm>
#include <exception>
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
Result<void> Subscriber::ask(const engine::Waker& waker) {
  if (watch_.keep == nullptr) {
    auto watch = bound_->resource().watch(waker, bound_->call_deadline());
    if (!watch) return std::move(watch).error();
    watch_ = *std::move(watch);
  }
  auto news = look_(bound_->call_deadline());
  if (!news) return std::move(news).error();
  tell(*std::move(news));
  return {};
}

Clock::time_point Subscriber::look(const engine::Waker& waker) {
  const auto asked = base::ask_engine([&] { return ask(waker); });
  const auto now = Clock::now();
  if (!asked) {
    const auto pause = 10ms * (1 << std::min(failures_++, 10));
    return now + std::min<std::chrono::nanoseconds>(pause, kLongestPause);
  }
  failures_ = 0;
  return Timeout(watch_.retry_after).deadline_from(now);
}

// News that could not be handed on for want of memory are pending, so the next look
// hands them on, although it finds nothing new itself.
void Subscriber::tell(News news) {
  {
    base::MutexLock lock(mutex_);
    if (cancelled_) return;
    if (news) pending_ = std::move(news);
    if (!pending_ || std::exchange(scheduled_, true)) return;
  }
  try {
    auto task = [self = shared_from_this()] { self->tell_all(); };
    if (executor_) {
      executor_(std::move(task));
    } else {
      state_->notifier().post(task);
    }
  } catch (const std::exception&) {
    base::MutexLock lock(mutex_);
    scheduled_ = false;
    throw;
  }
}

// A listener that throws ends the program, as on a thread of the notifier.
void Subscriber::tell_all() noexcept {
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

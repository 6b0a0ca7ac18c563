// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/event_loop.h"

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "base/time_left.h"
#include "engines/etcd/transport/deadline.h"

namespace holdfast::etcd {
namespace {

constexpr std::chrono::milliseconds kRest{10};

}  // namespace

// The queue on which the thread sleeps, and the alarm that wakes it.
struct EventLoop::Wakeup final : GrpcOperation {
  explicit Wakeup(EventLoop& of) noexcept : loop(of) {}
  void done(bool) override {
    base::MutexLock lock(loop.mutex_);
    loop.waking_ = false;
  }

  EventLoop& loop;
  grpc::CompletionQueue queue;
  grpc::Alarm alarm;
};

EventLoop::EventLoop() : wakeup_(std::make_unique<Wakeup>(*this)) {}

EventLoop::~EventLoop() { stop(); }

grpc::CompletionQueue& EventLoop::queue() noexcept { return wakeup_->queue; }

void EventLoop::start(std::vector<PeriodicJob*> jobs) {
  jobs_ = std::move(jobs);
  thread_ = base::start_thread("hf-etcd", [this] { run(); });
}

void EventLoop::stop() {
  if (!thread_.joinable()) return;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
}

EventLoop::OneCall::OneCall(EventLoop& loop) : loop_(loop) {
  if (!loop_.pace_.begin()) return;
  base::MutexLock lock(loop_.mutex_);
  if (!loop_.resting_) loop_.set_alarm();
}

void EventLoop::end_rest() {
  base::MutexLock lock(mutex_);
  if (std::exchange(resting_, false)) rest_ends_.notify_all();
}

void EventLoop::wake() {
  base::MutexLock lock(mutex_);
  if (std::exchange(resting_, false)) {
    rest_ends_.notify_all();
  } else {
    set_alarm();
  }
}

void EventLoop::set_alarm() {
  if (std::exchange(waking_, true)) return;
  wakeup_->alarm.Set(&wakeup_->queue, gpr_now(GPR_CLOCK_MONOTONIC), wakeup_.get());
}

// Returns whether there is anything left to wait for.
bool EventLoop::work(Clock::time_point& next) {
  bool stopping = false;
  bool waking = false;
  {
    base::MutexLock lock(mutex_);
    stopping = stopping_;
    waking = waking_;
  }
  bool busy = false;
  next = Clock::time_point::max();
  for (PeriodicJob* const job : jobs_) {
    if (stopping) {
      busy = !job->stop() || busy;
    } else {
      next = std::min(next, job->work());
    }
  }
  return !stopping || busy || waking;
}

// Returns whether something has happened until then.
bool EventLoop::receive(Clock::time_point until) {
  void* tag = nullptr;
  bool ok = false;
  const auto got = queue().AsyncNext(&tag, &ok, to_timespec(until));
  if (got != grpc::CompletionQueue::GOT_EVENT) return false;
  static_cast<GrpcOperation*>(tag)->done(ok);
  return true;
}

// From the moment that the mutex is free, `wake` and `end_rest` end a rest, so a caller
// that begins to wait after this look is not overlooked. If that has happened already,
// the rest is one of no length, after which the jobs are called.
bool EventLoop::may_rest() {
  {
    base::MutexLock lock(mutex_);
    if (stopping_) return false;
    resting_ = true;
  }
  const bool awaited =
      std::ranges::any_of(jobs_, [](PeriodicJob* each) { return each->is_awaited(); });
  if (!awaited) return true;
  base::MutexLock lock(mutex_);
  return !std::exchange(resting_, false);
}

void EventLoop::rest(Clock::time_point until) {
  base::MutexLock lock(mutex_);
  while (resting_ && Clock::now() < until) {
    rest_ends_.wait_for(lock, base::time_left(until));
  }
  resting_ = false;
}

void EventLoop::run() {
  bool rests = false;
  Clock::time_point next;
  while (work(next)) {
    const auto now = Clock::now();
    rests = (rests ? pace_.goes_on(now) : pace_.is_fast(now)) && may_rest();
    if (rests) {
      rest(std::min(next, now + kRest));
      while (receive(now)) {
      }
    } else {
      receive(next);
    }
  }
  queue().Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue().Next(&tag, &ok)) static_cast<GrpcOperation*>(tag)->done(ok);
}

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/transport/event_loop.h"

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "engines/etcd/transport/deadline.h"

namespace holdfast::etcd {

// The queue on which the thread sleeps, and the alarm that wakes it.
struct EventLoop::Wakeup final : Completion {
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

void EventLoop::start(std::vector<Worker*> workers) {
  workers_ = std::move(workers);
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

void EventLoop::wake() {
  base::MutexLock lock(mutex_);
  if (waking_) return;
  waking_ = true;
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
  for (Worker* const worker : workers_) {
    if (stopping) {
      busy = !worker->stop() || busy;
    } else {
      next = std::min(next, worker->work());
    }
  }
  return !stopping || busy || waking;
}

void EventLoop::run() {
  Clock::time_point next;
  while (work(next)) {
    void* tag = nullptr;
    bool ok = false;
    const auto got = queue().AsyncNext(&tag, &ok, to_timespec(next));
    if (got == grpc::CompletionQueue::GOT_EVENT)
      static_cast<Completion*>(tag)->done(ok);
  }
  queue().Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue().Next(&tag, &ok)) static_cast<Completion*>(tag)->done(ok);
}

}  // namespace holdfast::etcd

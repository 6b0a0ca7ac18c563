#include "engines/etcd/loop.h"

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <utility>

#include "base/thread.h"
#include "engines/etcd/deadline.h"

namespace holdfast::etcd {

// What the thread sleeps on, and what wakes it.
struct Loop::Bell final : Event {
  explicit Bell(Loop& of) noexcept : loop(of) {}
  void done(bool) override {
    base::MutexLock lock(loop.mutex_);
    loop.rung_ = false;
  }

  Loop& loop;
  grpc::CompletionQueue queue;
  grpc::Alarm alarm;
};

Loop::Loop() : bell_(std::make_unique<Bell>(*this)) {}

Loop::~Loop() { stop(); }

grpc::CompletionQueue& Loop::queue() noexcept { return bell_->queue; }

void Loop::start(std::vector<Worker*> workers) {
  workers_ = std::move(workers);
  thread_ = base::start_thread("holdfast-etcd", [this] { run(); });
}

void Loop::stop() {
  if (!thread_.joinable()) return;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
}

void Loop::wake() {
  base::MutexLock lock(mutex_);
  if (rung_) return;
  rung_ = true;
  bell_->alarm.Set(&bell_->queue, gpr_now(GPR_CLOCK_MONOTONIC), bell_.get());
}

// Whether there is anything left to wait for.
bool Loop::work(Clock::time_point& next) {
  bool stopping = false;
  bool rung = false;
  {
    base::MutexLock lock(mutex_);
    stopping = stopping_;
    rung = rung_;
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
  return !stopping || busy || rung;
}

void Loop::run() {
  Clock::time_point next;
  while (work(next)) {
    void* tag = nullptr;
    bool ok = false;
    const auto got = queue().AsyncNext(&tag, &ok, to_timespec(next));
    if (got == grpc::CompletionQueue::GOT_EVENT) static_cast<Event*>(tag)->done(ok);
  }
  queue().Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue().Next(&tag, &ok)) static_cast<Event*>(tag)->done(ok);
}

}  // namespace holdfast::etcd

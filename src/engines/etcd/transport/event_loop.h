// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/event_loop.h - the one thread of a session: it drives the
// streams.

#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "holdfast/clock.h"

namespace grpc {
class CompletionQueue;
}

namespace holdfast::etcd {

// An operation of gRPC. `done` is called when it has finished, or has failed.
class Completion {
 public:
  virtual ~Completion() = default;
  virtual void done(bool ok) = 0;
};

// Work that is to be done from time to time.
class Worker {
 public:
  virtual ~Worker() = default;
  // Does what is due, and returns when it is to be called again.
  virtual Clock::time_point work() = 0;
  // Begins nothing more. Returns true when nothing is under way any more.
  virtual bool stop() = 0;
};

class EventLoop {
 public:
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  grpc::CompletionQueue& queue() noexcept;

  // All workers run in the loop's thread. They must exist until `stop` has returned.
  void start(std::vector<Worker*> workers);
  void stop();

  // Makes the loop call its workers at once. May be called from any thread.
  void wake();

 private:
  struct Wakeup;
  void run();
  bool work(Clock::time_point& next);

  const std::unique_ptr<Wakeup> wakeup_;
  std::vector<Worker*> workers_;
  base::Mutex mutex_;
  bool waking_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace holdfast::etcd

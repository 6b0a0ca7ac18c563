// engines/etcd/transport/event_loop.h - the one thread of a session, which drives its
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

// What gRPC has finished, or not.
class Completion {
 public:
  virtual ~Completion() = default;
  virtual void done(bool ok) = 0;
};

// What is to be done from time to time.
class Worker {
 public:
  virtual ~Worker() = default;
  // Does what is due, and says when to come again.
  virtual Clock::time_point work() = 0;
  // Does nothing more. Whether nothing is under way any more.
  virtual bool stop() = 0;
};

class EventLoop {
 public:
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  grpc::CompletionQueue& queue() noexcept;

  // All in the loop's thread. They must stay until `stop` has returned.
  void start(std::vector<Worker*> workers);
  void stop();

  // The workers are asked at once. From any thread.
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

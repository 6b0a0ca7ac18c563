// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/event_loop.h - the one thread of a session: it drives the
// streams.
//
// A thread that sleeps in gRPC receives what arrives for the whole process, and has to
// wake the thread that the answer is for. So the loop rests while calls follow each
// other closely and no caller waits for an event: it sleeps outside of gRPC, each
// calling thread receives its own answer, and the streams are looked after every 10 ms.

#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/transport/call_pace.h"
#include "holdfast/clock.h"

namespace grpc {
class CompletionQueue;
}

namespace holdfast::etcd {

// This is an operation of gRPC. `done` is called when it has finished, or has failed.
class GrpcOperation {
 public:
  virtual ~GrpcOperation() = default;
  virtual void done(bool ok) = 0;
};

// This is work that is to be done from time to time.
class PeriodicJob {
 public:
  virtual ~PeriodicJob() = default;
  // Does what is due, and returns when it is to be called again.
  virtual Clock::time_point work() = 0;
  // Begins nothing more. Returns true when nothing is under way any more.
  virtual bool stop() = 0;
  // Returns whether a caller waits for what the loop receives, so that it must not
  // rest.
  virtual bool is_awaited() { return false; }
};

class EventLoop {
 public:
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  grpc::CompletionQueue& queue() noexcept;

  // All jobs run in the loop's thread. They must exist until `stop` has returned.
  void start(std::vector<PeriodicJob*> jobs);
  void stop();

  // Makes the loop call its jobs at once. It may be called from any thread.
  void wake();
  // Does the same, but only if the loop rests.
  void end_rest();

  // Such an object lives for as long as a call of the session lasts, in any thread.
  class OneCall {
   public:
    explicit OneCall(EventLoop& loop);
    OneCall(const OneCall&) = delete;
    OneCall& operator=(const OneCall&) = delete;
    ~OneCall() { loop_.pace_.end(); }

   private:
    EventLoop& loop_;
  };

 private:
  struct Wakeup;
  void run();
  bool work(Clock::time_point& next);
  bool receive(Clock::time_point until);
  void set_alarm() HOLDFAST_REQUIRES(mutex_);
  bool may_rest();
  void rest(Clock::time_point until);

  const std::unique_ptr<Wakeup> wakeup_;
  std::vector<PeriodicJob*> jobs_;
  base::Mutex mutex_;
  bool waking_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool resting_ HOLDFAST_GUARDED_BY(mutex_) = false;
  base::CondVar rest_ends_;
  CallPace pace_;
  std::thread thread_;
};

}  // namespace holdfast::etcd

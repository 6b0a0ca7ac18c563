// engines/mysql/wakeups.h - threads that block on a bell so that callers need not.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// One wait for one bell. Safe for concurrent use.
class BellWait {
 public:
  explicit BellWait(engine::Waker waker) : waker_(std::move(waker)) {}

  enum class State : std::uint8_t {
    waiting,
    failed,   // the bell could not be waited for
    rung,     // it was heard; if it is to be kept, `connection` has it
    granted,  // and what it announced is ours
    doubtful  // the same, perhaps
  };
  struct Outcome {
    State state = State::waiting;
    std::shared_ptr<Connection> connection = {};
    FencingToken token = {};
    Clock::time_point asked = {};  // when it was taken
  };
  Outcome outcome() const;

  // For a moment, for whoever expects it to be over.
  void linger(engine::Deadline until) const;

  // Ends it: nothing happens any more. Whether that is so before `until`; if something
  // was taken in that moment, `heard` says so.
  bool stop(engine::Deadline until);

  // For the listener. `block` gives the connection that may be cut from now on; false:
  // it was stopped. `unblock` is the other end of it: false: stopped.
  bool block(const std::shared_ptr<Connection>& connection);
  bool unblock();
  void finish(Outcome heard);

 private:
  const engine::Waker waker_;
  mutable base::Mutex mutex_;
  mutable base::CondVar changed_;
  Outcome outcome_ HOLDFAST_GUARDED_BY(mutex_);
  std::shared_ptr<Connection> blocked_ HOLDFAST_GUARDED_BY(mutex_);
  bool stopped_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool over_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

// Safe for concurrent use.
class BellThreads {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr int kTries = 3;  // in vain, before the poller takes over

  explicit BellThreads(Pool& pool) : pool_(pool) {}
  ~BellThreads();

  // What is done with a connection that may block. It must come to `finish`.
  using Job = std::function<void(BellWait& wait, Pool::Lent& connection)>;

  // For a job: blocks until the bell is heard, and keeps it or not. False: the wait was
  // stopped, and the connection is of no use any more.
  enum class After : std::uint8_t { keep, pass_on };
  static Result<bool> wait_for(BellWait& wait, Pool::Lent& connection,
                               std::string_view bell, After after);

  // Null: all listeners are busy.
  std::shared_ptr<BellWait> start(const engine::Waker& waker, Job job);

 private:
  struct Task {
    std::shared_ptr<BellWait> wait;
    Job job;
  };

  void run();
  void serve(const Task& task);

  Pool& pool_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<std::thread> threads_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Task> tasks_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<BellWait>> active_ HOLDFAST_GUARDED_BY(mutex_);
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::mysql

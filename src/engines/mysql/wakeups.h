// engines/mysql/wakeups.h - threads that wait for bells, so that callers need not.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// One wait for one bell. The class is safe for concurrent use.
class BellWait {
 public:
  explicit BellWait(engine::Waker waker) : waker_(std::move(waker)) {}

  enum class State : std::uint8_t {
    waiting,
    failed,    // no connection could wait for the bell
    rung,      // the bell was free; `connection` has it, if it is to be kept
    granted,   // and the claim that waited for it is granted
    in_doubt,  // and the claim is perhaps granted
  };
  struct Outcome {
    State state = State::waiting;
    std::shared_ptr<Connection> connection = {};
    FencingToken token = {};
    Clock::time_point asked = {};  // when the claim was asked for
  };
  Outcome outcome() const;

  // Blocks until the wait is over, or until the deadline.
  void linger(engine::Deadline until) const;

  // Ends the wait. Returns whether that was done in time: nothing happens after it. If
  // the claim was granted in that moment, `outcome` says so.
  bool stop(engine::Deadline until);

  // The following are for the thread that waits. `block` names the connection that
  // `stop` cuts until `unblock`. Both return false if the wait was stopped.
  bool block(const std::shared_ptr<Connection>& connection);
  bool unblock();
  void finish(Outcome outcome);

 private:
  const engine::Waker waker_;
  mutable base::Mutex mutex_;
  mutable base::CondVar changed_;
  Outcome outcome_ HOLDFAST_GUARDED_BY(mutex_);
  std::shared_ptr<Connection> blocked_ HOLDFAST_GUARDED_BY(mutex_);
  bool stopped_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool over_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

// The class is safe for concurrent use.
class BellThreads {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr int kTries = 3;  // that may fail before the poller takes over

  explicit BellThreads(Pool& pool) : pool_(pool) {}
  ~BellThreads();

  // A job gets a connection that may block, and must call `finish` in the end.
  using Job = std::function<void(BellWait& wait, Pool::Lent& connection)>;

  // A job calls this to block until the bell is free, and to keep the bell or not.
  // False means that the wait was stopped and the connection was cut.
  enum class After : std::uint8_t { keep, pass_on };
  static Result<bool> wait_for(BellWait& wait, Pool::Lent& connection,
                               std::string_view bell, After after);

  // Returns null if all threads are busy.
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

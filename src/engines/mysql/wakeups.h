// SPDX-License-Identifier: Apache-2.0

// engines/mysql/wakeups.h - bells, and threads that wait for them.
//
// A database cannot notify its clients. So a claim has a *bell*: a name that its
// owner's connection has locked with GET_LOCK. A waiter blocks in GET_LOCK on the same
// name, and the server lets it in when the owner releases the name, or when the owner's
// connection ends, whatever ended it. A bell decides nothing; the rows do.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

// This is one wait for one bell. The class is safe for concurrent use.
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
    bool at_once = false;          // the bell was free
  };
  Outcome outcome() const;

  // Blocks until the wait is over, or until the deadline.
  void wait_until_over(engine::Deadline until) const;

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

  explicit BellThreads(Pool& pool)
      : pool_(pool),
        threads_({.name = "hf-mysql-wake", .most = kMost, .patience = {}}) {}
  ~BellThreads();

  // The thread keeps the bell when that is free, or passes it on.
  enum class After : std::uint8_t { keep, pass_on };

  // The thread runs the job then, on the connection that has waited, and the wait is
  // over. `at_once`: the bell was free, which is only known of a bell that is kept.
  using Job = std::function<BellWait::Outcome(Pool::Lent& connection, bool at_once)>;

  // Returns null if all threads are busy, or none can be started.
  std::shared_ptr<BellWait> start(const engine::Waker& waker, const std::string& bell,
                                  After after, const Job& job);

 private:
  enum class WaitResult : std::uint8_t {
    failed,   // the server has ended the wait, or the connection
    stopped,  // and the connection was cut
    free_at_once,
    rung,
  };
  BellWait::Outcome serve(BellWait& wait, std::string_view bell, After after,
                          const Job& job);
  static WaitResult wait_for(BellWait& wait, Pool::Lent& connection,
                             std::string_view bell, After after);

  Pool& pool_;
  base::Mutex mutex_;
  std::vector<std::shared_ptr<BellWait>> active_ HOLDFAST_GUARDED_BY(mutex_);
  base::ThreadPool threads_;
};

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

// engines/quorum/transport/node.h - one node, and the thread that talks to it.
//
// A call to a node that does not answer takes its whole time. So each node has a
// thread, and a caller goes on when enough nodes have answered.
//
// A node that answers at once does not need its thread: a caller that finds it with
// nothing to do takes the node's turn, sends its request, and waits for the answers of
// all nodes together. One thread has the turn at a time, so the calls of a client to
// one node follow one another. A caller never keeps a turn for long: an answer that it
// does not wait for is taken by the next caller, or by the node's thread.

#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/backoff.h"
#include "base/common_failures.h"
#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

inline Failure not_in_time() {
  return base::not_answered("the node", Errc::unavailable);
}

// The class is safe for concurrent use.
class Node {
 public:
  // A job runs on the node's thread and gets its session, or the failure why it cannot
  // be asked. It returns whether the node has answered; one that throws has not.
  using Job = std::function<bool(const Result<engine::Session*>&)>;

  // A Sent is what a caller asks in its turn. The thread that has the turn uses it.
  class Sent {
   public:
    virtual ~Sent() = default;
    virtual int fd() const noexcept = 0;  // as that of engine::SentCall
    virtual bool is_ready() = 0;          // `finish` would not wait
    // Returns whether it is not sent yet, because an earlier call is not answered.
    virtual bool is_queued() const noexcept = 0;
    // Waits for the answer as long as that takes. Returns whether the node has
    // answered.
    virtual bool finish() = 0;
  };

  struct Turn {
    engine::Session* session;
    std::unique_ptr<Sent> late;  // has to be finished first; it may be null
  };

  Node(std::shared_ptr<engine::Engine> engine, engine::SessionOptions options);
  ~Node();  // stops, and waits for the thread
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Jobs run one by one, in order. A job that has not begun by `until` gets a failure.
  void post(engine::Deadline until, Job job);

  // Takes the turn, if the node is open and its thread has nothing to do.
  std::optional<Turn> enter();

  // Ends the turn of a caller. The next caller finishes what is `late` or, when it is
  // `due`, the node's thread.
  void leave(std::unique_ptr<Sent> late = nullptr, Clock::time_point due = {}) noexcept;

  // Notes whether the node has answered. REQUIRES: the caller has the turn.
  void set_answered(bool answered) noexcept { silent_.store(!answered); }

  // Repeats a job, with the pauses of the client's RetryPolicy, until the node has
  // answered, however long that takes: a stopped node may carry out tomorrow what it
  // was sent today.
  void retry(Job job);

  // Returns whether such a job is left. Nothing new is asked of that node until then,
  // because it would only add to what must be undone there.
  bool is_retrying();

  // Runs the jobs that are queued, unless the node is silent, and ends the thread.
  void stop() noexcept;

  // Returns whether the node did not answer when it was last asked.
  bool silent() const noexcept { return silent_.load(); }

  // Returns null if the session could not be opened yet. It is tried again when there
  // is something to ask and the pause of the client's RetryPolicy is over.
  engine::Session* session() const noexcept { return opened_.load(); }

 private:
  struct Task {
    engine::Deadline until;
    Job job;
  };

  void run();
  void wait_for_work(base::MutexLock& lock) HOLDFAST_REQUIRES(mutex_);
  template <class Call>
  void in_turn(const Call& call) HOLDFAST_REQUIRES(mutex_);
  void finish_late() HOLDFAST_REQUIRES(mutex_);
  void work() HOLDFAST_REQUIRES(mutex_);
  void retry_first() HOLDFAST_REQUIRES(mutex_);
  bool ask(const Job& job, engine::Deadline until) noexcept;
  Result<std::unique_ptr<engine::Session>> open() noexcept;
  Result<engine::Session*> reach();

  // Only the node's thread uses the following, except the session that is open.
  const std::shared_ptr<engine::Engine> engine_;
  const engine::SessionOptions options_;
  std::unique_ptr<engine::Session> session_;
  std::optional<Failure> why_closed_;
  Clock::time_point open_again_{};
  base::Backoff opening_;

  std::atomic<engine::Session*> opened_{nullptr};
  std::atomic<bool> silent_{false};

  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool taken_ HOLDFAST_GUARDED_BY(mutex_) = false;  // A thread has the turn.
  std::unique_ptr<Sent> late_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point late_due_ HOLDFAST_GUARDED_BY(mutex_){};
  // The node's thread will look at late_ by itself, so it need not be woken.
  bool looks_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::deque<Task> tasks_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Job> retries_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point retry_at_ HOLDFAST_GUARDED_BY(mutex_){};
  base::Backoff retry_pause_ HOLDFAST_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace holdfast::quorum

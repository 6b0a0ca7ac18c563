// engines/quorum/node.h - one node, and the thread that speaks with it.
//
// The waist is synchronous: a call to a node that does not answer takes its whole time.
// So each node has a thread, and whoever asks goes on when enough others have answered.

#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/backoff.h"
#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Safe for concurrent use.
class Node {
 public:
  // Runs on the node's thread; a failure: it cannot be asked. Returns whether the node
  // has answered.
  using Job = std::function<bool(const Result<engine::Session*>&)>;

  Node(std::shared_ptr<engine::Engine> engine, engine::SessionOptions options);
  ~Node();  // as `stop`, and waits for it
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Jobs are done one by one, in order. One that was not begun by `until` is told so.
  void post(engine::Deadline until, Job job);

  // Repeated, with the pauses of the client's RetryPolicy, until the node has answered,
  // however long that takes: a stopped node may carry out tomorrow what it was sent
  // today.
  void owe(Job job);

  // Whether such a job is left. Nothing new is asked of that node until then: it would
  // only owe more.
  bool owes();

  // Does what was asked until now, unless the node is silent, and ends.
  void stop() noexcept;

  // It gave no answer when it was last asked.
  bool silent() const noexcept { return silent_.load(); }

  // Null: it could not be opened yet. It is tried again when there is something to ask
  // and the pause of the client's RetryPolicy is over.
  engine::Session* session() const noexcept { return opened_.load(); }

 private:
  struct Task {
    engine::Deadline until;
    Job job;
  };

  void run();
  void work() HOLDFAST_REQUIRES(mutex_);
  void pay() HOLDFAST_REQUIRES(mutex_);
  bool ask(const Job& job, engine::Deadline until);
  Result<engine::Session*> reach();

  // Of the node's thread alone.
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
  std::deque<Task> tasks_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Job> debts_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point pay_again_ HOLDFAST_GUARDED_BY(mutex_){};
  base::Backoff paying_ HOLDFAST_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace holdfast::quorum

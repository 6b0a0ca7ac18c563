// SPDX-License-Identifier: Apache-2.0

// engines/quorum/transport/node.h - one node, and the thread that talks to it.
//
// The waist is synchronous: a call to a node that does not answer takes its whole time.
// So each node has a thread, and a caller goes on when enough nodes have answered.

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

// The class is safe for concurrent use.
class Node {
 public:
  // A job runs on the node's thread and gets its session, or the failure why it cannot
  // be asked. It returns whether the node has answered.
  using Job = std::function<bool(const Result<engine::Session*>&)>;

  Node(std::shared_ptr<engine::Engine> engine, engine::SessionOptions options);
  ~Node();  // stops, and waits for the thread
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Jobs run one by one, in order. A job that has not begun by `until` gets a failure.
  void post(engine::Deadline until, Job job);

  // Repeated, with the pauses of the client's RetryPolicy, until the node has answered,
  // however long that takes: a stopped node may carry out tomorrow what it was sent
  // today.
  void retry(Job job);

  // Returns whether such a job is left. Nothing new is asked of that node until then,
  // because it would only add to what must be undone there.
  bool is_retrying();

  // Runs the jobs that are queued, unless the node is silent, and ends the thread.
  void stop() noexcept;

  // The node did not answer when it was last asked.
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
  void retry_first() HOLDFAST_REQUIRES(mutex_);
  bool ask(const Job& job, engine::Deadline until);
  Result<engine::Session*> reach();

  // Only the node's thread uses the following.
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
  std::deque<Job> retries_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point retry_at_ HOLDFAST_GUARDED_BY(mutex_){};
  base::Backoff retry_pause_ HOLDFAST_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace holdfast::quorum

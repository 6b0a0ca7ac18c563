// SPDX-License-Identifier: Apache-2.0

// engines/etcd/session_lease.h - the etcd lease that all claims of a session belong to.
//
// The lease is granted when it is first needed and kept alive from then on, with or
// without claims. When it has ended, the next caller of `ensure` gets a new one.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/transport/stream.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

// The class is safe for concurrent use.
class SessionLease final : public Stream::Handler, public PeriodicJob {
 public:
  // `on_end` is called with the id of a lease that has ended, in any thread. By then
  // the next lease may be in use.
  SessionLease(std::chrono::milliseconds ttl, EventLoop& loop, Channels& channels,
               Calls& calls, std::function<void(std::int64_t)> on_end);

  // Returns the current lease, with at least a third of its time left. It grants one if
  // there is none.
  Result<std::int64_t> ensure(engine::Deadline until);

  std::int64_t current() const;  // zero means that there is none
  bool is_current(std::int64_t id) const { return current() == id; }

  // `send_keep_alive` asks etcd for the whole ttl again, and `wait_for_keep_alive`
  // waits for the answer to that request or to a later one. Errc::not_held: the lease
  // has ended.
  struct KeepAlive {
    std::int64_t id;
    Clock::time_point sent;
  };
  KeepAlive send_keep_alive();
  Result<void> wait_for_keep_alive(const KeepAlive& keep_alive, engine::Deadline until);

  // Returns the lease's remaining time, counted from `asked`, and at most `wanted`,
  // unless that is zero.
  engine::LeaseTime remaining(std::int64_t id, Clock::time_point asked,
                              engine::LeaseTime wanted) const;

  // Notes that an answer of etcd has said that this lease does not exist.
  void mark_ended(std::int64_t id);

  // Ends the lease, and with it all claims of the session.
  void revoke(engine::Deadline until);

  void add_jobs(std::vector<PeriodicJob*>& to);

  void on_open() override;
  void on_message(const google::protobuf::MessageLite& message) override;
  void on_break() override;
  Clock::time_point work() override;
  bool stop() override { return true; }
  bool is_awaited() override;

 private:
  Result<std::int64_t> grant(engine::Deadline until);
  void send(Clock::time_point now) HOLDFAST_REQUIRES(mutex_);

  // Returns whether the stream has left a request unanswered for too long.
  bool is_silent(Clock::time_point now) const HOLDFAST_REQUIRES(mutex_);

  // Returns how long the lease lasts after a keep-alive: the ttl that was asked for, or
  // less if etcd granted less.
  std::chrono::nanoseconds span() const HOLDFAST_REQUIRES(mutex_);

  const std::chrono::milliseconds ttl_;
  EventLoop& loop_;
  Calls& calls_;
  const std::function<void(std::int64_t)> on_end_;

  base::Mutex granting_;  // taken first
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::int64_t id_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::chrono::seconds granted_ HOLDFAST_GUARDED_BY(mutex_){0};
  Clock::time_point alive_from_ HOLDFAST_GUARDED_BY(mutex_){};
  Clock::time_point sent_at_ HOLDFAST_GUARDED_BY(mutex_){};
  bool open_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::deque<Clock::time_point> unanswered_ HOLDFAST_GUARDED_BY(mutex_);
  Stream stream_;
};

}  // namespace holdfast::etcd

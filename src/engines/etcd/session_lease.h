// engines/etcd/session_lease.h - the lease on which all claims of a session hang.
//
// It is granted when it is first needed, and kept alive from then on, whether anything
// hangs on it or not. When it is over, the next one who needs one gets another.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/transport/stream.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

// Safe for concurrent use.
class SessionLease final : public Stream::Handler, public Worker {
 public:
  // Told, in any thread, when a lease is over. By then the next one may be in use.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void lease_ended(std::int64_t id) = 0;
  };

  SessionLease(std::chrono::milliseconds ttl, EventLoop& loop, Channels& channels,
               Calls& calls, Observer& observer);

  // The present one, with most of its time left.
  Result<std::int64_t> ensure(engine::Deadline until);

  std::int64_t current() const;  // zero: none
  bool is_current(std::int64_t id) const { return current() == id; }

  // Asks etcd for the whole time again, and waits for the answer to what was asked at
  // that time, or later. Errc::not_held: it is over.
  struct KeepAlive {
    std::int64_t id;
    Clock::time_point sent;
  };
  KeepAlive send_keep_alive();
  Result<void> wait_for_keep_alive(const KeepAlive& keep_alive, engine::Deadline until);

  // What is left of it, counted from `asked`; at most `wanted`, if that is not zero.
  engine::Lease remaining(std::int64_t id, Clock::time_point asked,
                          engine::Lease wanted) const;

  // Somebody was told that it is.
  void mark_ended(std::int64_t id);

  // All that hangs on it ends now.
  void revoke(engine::Deadline until);

  void add_workers(std::vector<Worker*>& to);

  void on_open() override;
  void on_message(const google::protobuf::MessageLite& message) override;
  void on_break() override;
  Clock::time_point work() override;
  bool stop() override { return true; }

 private:
  Result<std::int64_t> grant(engine::Deadline until);
  void send(Clock::time_point now) HOLDFAST_REQUIRES(mutex_);

  // Whether the stream has not answered for too long.
  bool is_silent(Clock::time_point now) const HOLDFAST_REQUIRES(mutex_);

  // What the lease is good for: what was asked, or less if etcd gave less.
  std::chrono::nanoseconds span() const HOLDFAST_REQUIRES(mutex_);

  const std::chrono::milliseconds ttl_;
  EventLoop& loop_;
  Calls& calls_;
  Observer& observer_;

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

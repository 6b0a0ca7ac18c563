// SPDX-License-Identifier: Apache-2.0

// engines/etcd/wakeups.h - etcd watches: they wake the callers that wait for a key.
//
//   auto handle = watches.watch({.key = predecessor}, {waker});
//   auto since = handle->wait(until);   // the watch is open from this revision on
//
// etcd serves a watch that starts at a past revision only once in 100 ms. So every
// watch starts at the member's present revision, which `wait` returns. A caller that
// has read the keys at an earlier revision must read them again.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/etcd/transport/stream.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

// Which events ring.
enum class WatchFor : std::uint8_t {
  ends,     // keys are deleted
  changes,  // and existing keys get new values
  all,      // and keys are created
};

struct WatchTarget {
  std::string key;
  std::string end = {};  // the end of a range; empty: the watch is for one key
  WatchFor what = WatchFor::ends;
};

class WatchRegistry;

// One watch. It rings its wakers until it is destroyed, also when events may have been
// missed.
class WatchHandle {
 public:
  WatchHandle(WatchRegistry& watches, WatchTarget target,
              std::vector<engine::Waker> wakers);
  WatchHandle(const WatchHandle&) = delete;
  WatchHandle& operator=(const WatchHandle&) = delete;
  ~WatchHandle();

  const std::string& key() const noexcept { return target_.key; }
  bool is_for(const engine::Waker& waker) const noexcept;

  // Blocks until the watch is open: no event is missed after the revision that is
  // returned. Errc::denied, Errc::unavailable.
  Result<std::int64_t> wait(engine::Deadline until);

  // Rings only when this many keys have been deleted after `revision`.
  void ring_after(std::size_t ends, std::int64_t revision);

  // Rings once when the watch opens, unless it is open already, because it does not
  // tell what happened before.
  void ring_when_open();

 private:
  friend class WatchRegistry;
  WatchRegistry& watches_;
  const WatchTarget target_;
  const std::vector<engine::Waker> wakers_;
  const Clock::time_point created_at_ = Clock::now();
  // All below is guarded by the mutex of `watches_`.
  std::int64_t id_ = 0;
  std::int64_t since_ = 0;  // the revision at which it was opened; zero: it is not open
  bool missed_ = false;     // events may have been missed
  std::string refused_;     // why the present stream refuses it; empty: it does not
  Calls::AuthToken refused_token_;  // the token of that stream
  std::int64_t last_ = 0;           // the revision of the last event
  std::size_t skip_ = 0;            // so many deletions do not ring
};

// All watches of a session, on one stream. Safe for concurrent use.
class WatchRegistry final : public Stream::Handler {
 public:
  WatchRegistry(EventLoop& loop, Channels& channels, Calls& calls);

  std::shared_ptr<WatchHandle> watch(WatchTarget target,
                                     std::vector<engine::Waker> wakers);

  // Every waker is rung, so that every waiter reads its keys again.
  void ring_all();

  // There is a new token: watches that were refused with the old one are tried again.
  void authenticated();

  Worker& worker() noexcept { return stream_; }

  void on_open() override;
  void on_message(const google::protobuf::MessageLite& message) override;
  void on_break() override;

 private:
  friend class WatchHandle;
  void begin(WatchHandle& handle) HOLDFAST_REQUIRES(mutex_);
  void cancel(std::int64_t id) HOLDFAST_REQUIRES(mutex_);
  std::int64_t watch_id_of(const wire::WatchResponse& response)
      HOLDFAST_REQUIRES(mutex_);
  void on_cancelled(WatchHandle& handle, const wire::WatchResponse& response)
      HOLDFAST_REQUIRES(mutex_);
  // Whether a new token would not help.
  bool is_final(const WatchHandle& handle) const HOLDFAST_REQUIRES(mutex_);
  static void ring(const WatchHandle& handle) noexcept;
  static void on_event(WatchHandle& handle, const wire::Event& event);

  Calls& calls_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::int64_t last_id_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  bool open_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::deque<std::int64_t> unconfirmed_ HOLDFAST_GUARDED_BY(mutex_);  // as requested
  std::unordered_map<std::int64_t, WatchHandle*> handles_ HOLDFAST_GUARDED_BY(mutex_);
  Stream stream_;
};

}  // namespace holdfast::etcd

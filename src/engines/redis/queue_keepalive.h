// SPDX-License-Identifier: Apache-2.0

// engines/redis/queue_keepalive.h - keeps the entries of waiters at rest in their
// queues, many with one request.
//
// A waiter has an entry in the queue of its lock for as long as it is heard of, and it
// has to look at the lock now and then: no message is published when a holder dies. A
// waiter that has waited for a while leaves both to one thread of its client, which
// asks for many waiters at once, whatever their locks. The waiter itself is only rung
// when it has to ask.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/poll_thread.h"
#include "engines/redis/layout.h"
#include "engines/redis/transport/requests.h"
#include "engines/redis/wakeups.h"
#include "holdfast/engine/claim.h"

namespace holdfast::redis {

class Backend;

// The class is safe for concurrent use.
class QueueKeepAlive {
 public:
  // An entry of a queue lives so long after it was last kept.
  static constexpr std::chrono::milliseconds kEntryLives{15'000};

  // A waiter or this thread looks at a lock after 4/5 of this time, and after the whole
  // of it at the latest. A waiter that was handed a lock may be stopped, and its grant
  // then ends after 3 s.
  static constexpr std::chrono::milliseconds kLongestPause{4'000};

  // An Entry is a waiter and where its entry is. `layout` has the operation `keep`.
  struct Entry {
    std::weak_ptr<Waiter> waiter;
    engine::Ticket ticket;
    std::uint32_t capacity;  // as the claim has it
    Slot slot;
    const Layout* layout;
    std::string name;
    Clock::time_point due = {};
  };

  // `backend` must outlive it.
  explicit QueueKeepAlive(Backend& backend)
      : backend_(backend), thread_("hf-redis-keep", [this] { return look(); }) {}
  QueueKeepAlive(const QueueKeepAlive&) = delete;
  QueueKeepAlive& operator=(const QueueKeepAlive&) = delete;

  // Keeps the entry until its waiter is gone or was rung to ask. It is rung if the lock
  // is free or soon will be, if it may have been granted, if the entry is not there, if
  // a peer holds the lock to which the waiter does not listen, and if the server does
  // not answer. An entry that is kept already stays as it is. Returns false if there is
  // no thread or no memory for it.
  bool add(Entry entry) noexcept HOLDFAST_EXCLUDES(mutex_);

 private:
  Clock::time_point look() noexcept HOLDFAST_EXCLUDES(mutex_);
  std::vector<Entry> take_due() HOLDFAST_EXCLUDES(mutex_);
  void keep_entries(std::vector<Entry>& round);
  void put_back(std::vector<Entry>& round) HOLDFAST_EXCLUDES(mutex_);
  void keep_at(Requests& server, std::vector<Entry*>& entries, engine::Deadline until);
  void keep_some(Requests& server, std::span<Entry* const> entries,
                 engine::Deadline until);

  Backend& backend_;
  base::Mutex mutex_;
  // All of them are looked at after the same pause, so the first is due first.
  std::deque<Entry> entries_ HOLDFAST_GUARDED_BY(mutex_);
  base::PollThread thread_;  // is woken when the first entry comes
};

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// engines/redis/wakeups.h - this session's waiters and watchers, and what wakes them.
//
// A waiter subscribes to two channels: the lock's channel, where Redisson publishes
// every release, and this session's own channel, to which our scripts publish the
// ticket of the one waiter to wake.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "engines/redis/transport/pub_sub.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// This is one waiter. Unless `wakes_on_all`, it ignores our own scripts' messages on
// the lock's channel, because those scripts also publish the ticket of the waiter to
// wake.
class Waiter final : public Subscriber {
 public:
  Waiter(engine::Waker waker, std::string channel, bool wakes_on_all) noexcept
      : waker_(std::move(waker)),
        channel_(std::move(channel)),
        wakes_on_all_(wakes_on_all) {}

  void on_message(std::string_view message) noexcept override;
  void on_gap() noexcept override { waker_->ring(); }

  void ring() const noexcept { waker_->ring(); }
  const engine::Waker& waker() const noexcept { return waker_; }
  const std::string& channel() const noexcept { return channel_; }

  // the time of arrival in the server's microseconds; zero means not known yet
  std::atomic<std::int64_t> arrival{0};

 private:
  const engine::Waker waker_;
  const std::string channel_;
  const bool wakes_on_all_;
};

// The class is safe for concurrent use.
class Waiters {
 public:
  // `client` names the session's channel. `alarm` is rung when an operator has ended a
  // claim.
  Waiters(PubSub& pub_sub, std::string_view client, engine::Waker alarm);
  ~Waiters();

  const std::string& session_channel() const noexcept { return session_channel_; }

  std::shared_ptr<Waiter> find(engine::Ticket ticket) const;

  // From now on a message with this ticket wakes the waiter. A failure means that
  // messages may not arrive yet.
  Result<std::shared_ptr<Waiter>> add(engine::Ticket ticket, engine::Waker waker,
                                      std::string channel, bool wakes_on_all,
                                      engine::Deadline until);
  void remove(engine::Ticket ticket) noexcept;

  // Subscribes to the session's channel without waiting for the confirmation. Long
  // holds use it, so that an operator's `evict` reaches them at once.
  void subscribe_session();

  // Returns whether one more subscriber on this channel would get messages at once.
  bool is_subscribed(const std::string& channel) const;

 private:
  class SessionChannel;

  PubSub& pub_sub_;
  const std::string session_channel_;
  const std::shared_ptr<SessionChannel> session_subscriber_;
  mutable base::Mutex mutex_;
  std::map<engine::Ticket, std::shared_ptr<Waiter>> waiters_
      HOLDFAST_GUARDED_BY(mutex_);
};

// Rings `waker` at every message on the channel, until the watch is destroyed.
Result<engine::Watch> watch_channel(std::shared_ptr<PubSub> pub_sub,
                                    std::string channel, engine::Waker waker,
                                    engine::Deadline until);

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// engines/redis/wakeups.h - this session's waiters and watchers, and what wakes them.
//
// Our scripts publish the ticket of the one waiter to wake to its session's channel,
// with the grant if they have made it. The lock's channel, where Redisson publishes
// every release, is only subscribed to where a peer may be the one that releases.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "engines/redis/hand_over.h"
#include "engines/redis/transport/channels.h"
#include "engines/redis/transport/slot.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// This is one waiter. The calls of its claim come one after the other; messages come on
// the thread of PubSub.
class Waiter final : public ChannelListener {
 public:
  Waiter(Slot slot, engine::Waker waker) noexcept
      : slot_(slot), waker_(std::move(waker)) {}

  void on_message(std::string_view message) noexcept override;
  void on_gap() noexcept override { ring(); }
  void ring() noexcept HOLDFAST_EXCLUDES(mutex_);

  // No ring starts after this call. The waker may own the caller's whole call, and is
  // let go here, so that no thread of the engine is the last to do it.
  void disarm() noexcept HOLDFAST_EXCLUDES(mutex_);

  // Returns whether it has been rung since the last call.
  bool take_ring() noexcept HOLDFAST_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return std::exchange(rung_, false);
  }

  // A message told of a grant, or of its end before the waiter has looked.
  void deliver(std::optional<HandOver> grant) noexcept;

  // Returns the grant that was delivered, once. Its lease counts from this call on, or
  // from earlier. A grant that is half over is not returned: the waiter has to ask.
  std::optional<engine::Granted> take_grant() noexcept;

  // Notes the answer to an attempt that was blocked.
  void blocked(const std::optional<ServerTime>& at, std::int64_t arrival) noexcept;

  // Without the server's time, no grant can be taken.
  void set_server_time(const std::optional<ServerTime>& at) noexcept
      HOLDFAST_EXCLUDES(mutex_);

  // Returns the time of arrival in the server's microseconds, or zero if it is not
  // known yet.
  std::int64_t arrival() const noexcept { return arrival_; }

  // Returns the channel beside the session's, or an empty text if there is none.
  const std::string& channel() const noexcept { return channel_; }
  bool has_channel() const noexcept { return has_channel_.load(); }

  Clock::time_point since() const noexcept { return since_; }

  // A waiter at rest does not ask until it is rung (engines/redis/queue_keepalive.h).
  // `begin_rest` returns false if it rests already; `end_rest` rings it.
  bool begin_rest() noexcept { return !rests_.exchange(true); }
  void end_rest() noexcept {
    rests_.store(false);
    ring();
  }

 private:
  friend class Waiters;
  void ring_waker() noexcept HOLDFAST_REQUIRES(mutex_);

  struct Delivered {
    HandOver grant;
    Clock::time_point heard;
  };

  const Slot slot_;
  const Clock::time_point since_ = Clock::now();
  std::atomic<bool> rests_{false};
  std::atomic<bool> has_channel_{false};
  std::string channel_;
  bool wakes_on_all_ = false;
  std::int64_t arrival_ = 0;
  base::Mutex mutex_;
  std::optional<ServerTime> server_time_ HOLDFAST_GUARDED_BY(mutex_);
  bool rung_ HOLDFAST_GUARDED_BY(mutex_) = false;
  engine::Waker waker_ HOLDFAST_GUARDED_BY(mutex_);  // null once it was disarmed
  std::optional<Delivered> delivered_ HOLDFAST_GUARDED_BY(mutex_);
};

// A session has one channel, in a cluster one in each slot: a script can only publish
// in the slot of its keys. Without a cluster every slot is zero. A channel stays
// subscribed for a while after its last use, because a client that waited once often
// waits again.
//
// The class is safe for concurrent use.
class Waiters {
 public:
  static constexpr std::chrono::minutes kKept{1};  // after the last wait in the slot

  // `client` names the session's channels, and `prefix_of` what they begin with.
  // `alarm` is rung when an operator has ended a claim.
  Waiters(Channels& channels, std::string_view client,
          std::function<std::string(Slot)> prefix_of, engine::Waker alarm);
  ~Waiters();

  std::string session_channel(Slot slot) const { return prefix_of_(slot) + client_; }

  std::shared_ptr<Waiter> find(Slot slot, engine::Ticket ticket) const;

  // From now on a message with this ticket wakes the waiter. It is added even if the
  // server does not confirm the session's subscription by `until`: see `is_confirmed`.
  std::shared_ptr<Waiter> add(Slot slot, engine::Ticket ticket, engine::Waker waker,
                              engine::Deadline until);

  // The waiter also hears the messages on this channel. Unless `wakes_on_all`, it
  // ignores those of our own scripts, which also publish the ticket of the waiter to
  // wake.
  void add_channel(const std::shared_ptr<Waiter>& waiter, std::string channel,
                   bool wakes_on_all, engine::Deadline until);

  void remove(Slot slot, engine::Ticket ticket) noexcept;

  // Returns whether the server has confirmed all subscriptions of the waiter.
  bool is_confirmed(const Waiter& waiter) const;

  // Subscribes to the session's channel in this slot, and keeps it for at least this
  // time. Each renewal of a hold calls this with the lease and a deadline that has
  // passed, so that an operator's `evict` reaches the holder at once.
  void subscribe_session(Slot slot, engine::Deadline until,
                         std::chrono::milliseconds kept = {});

  // Returns whether one more waiter in this slot, with this channel if it is not empty,
  // would get messages at once.
  bool is_subscribed(Slot slot, const std::string& channel) const;

  // Unsubscribes from the session's channels that are not to be kept any more. It
  // happens by itself, once a second at most, when a further slot is used.
  void sweep(Clock::time_point now);

 private:
  class SessionChannel;
  struct SessionChannelEntry {
    std::shared_ptr<SessionChannel> channel;
    bool added = false;     // to `channels_`
    std::size_t users = 0;  // waiters, and calls that add it to `channels_`
    Clock::time_point kept_until{};
  };
  void ring_all(Slot slot) const noexcept;

  Channels& channels_;
  const std::string client_;
  const std::function<std::string(Slot)> prefix_of_;
  const engine::Waker alarm_;
  mutable base::Mutex mutex_;  // No call to `channels_` is made with it held.
  std::map<Slot, SessionChannelEntry> sessions_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point next_sweep_ HOLDFAST_GUARDED_BY(mutex_) = {};
  // When a server of a cluster is lost, each of its slots rings its own waiters.
  std::map<std::pair<Slot, engine::Ticket>, std::shared_ptr<Waiter>> waiters_
      HOLDFAST_GUARDED_BY(mutex_);
};

// Rings `waker` at every message on the channel, until the watch is destroyed.
Result<engine::Watch> watch_channel(std::shared_ptr<Channels> channels,
                                    std::string channel, engine::Waker waker,
                                    engine::Deadline until);

}  // namespace holdfast::redis

// engines/redis/waits.h - this session's waiters, and what wakes them.
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
#include "engines/redis/bells.h"
#include "holdfast/engine/claim.h"

namespace holdfast::redis {

// A Wait is one waiter. Unless `heeds_all`, it ignores our own scripts' messages on the
// lock's channel, because those scripts also publish the ticket of the waiter to wake.
class Wait final : public Listener {
 public:
  Wait(engine::Waker waker, std::string channel, bool heeds_all) noexcept
      : waker_(std::move(waker)), channel_(std::move(channel)), heeds_all_(heeds_all) {}

  void heard(std::string_view message) noexcept override;
  void missed() noexcept override { waker_->ring(); }

  void ring() const noexcept { waker_->ring(); }
  const engine::Waker& waker() const noexcept { return waker_; }
  const std::string& channel() const noexcept { return channel_; }

  // the time of arrival in the server's microseconds; zero means not known yet
  std::atomic<std::int64_t> arrival{0};

 private:
  const engine::Waker waker_;
  const std::string channel_;
  const bool heeds_all_;
};

// The class is safe for concurrent use.
class Waits {
 public:
  // `client` names the session's channel. `alarm` is rung when an operator has ended a
  // claim.
  Waits(Bells& bells, std::string_view client, engine::Waker alarm);
  ~Waits();

  const std::string& bell() const noexcept { return bell_; }  // the session's channel

  std::shared_ptr<Wait> find(engine::Ticket ticket) const;

  // From now on a message with this ticket wakes the waiter. A failure means that
  // messages may not arrive yet.
  Result<std::shared_ptr<Wait>> add(engine::Ticket ticket, engine::Waker waker,
                                    std::string channel, bool heeds_all,
                                    engine::Deadline until);
  void remove(engine::Ticket ticket) noexcept;

  // Subscribes to the session's channel without waiting for the confirmation. Long
  // holds use it, so that an operator's `evict` reaches them at once.
  void open_door();

  // Returns whether one more listener on this channel would hear messages at once.
  bool hears(const std::string& channel) const;

 private:
  class Doorbell;

  Bells& bells_;
  const std::string bell_;
  const std::shared_ptr<Doorbell> doorbell_;
  mutable base::Mutex mutex_;
  std::map<engine::Ticket, std::shared_ptr<Wait>> waits_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::redis

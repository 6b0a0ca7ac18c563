// engines/redis/waits.h - those of this session who wait, and what wakes them.
//
// Each waits on the channel of what he wants, where Redisson's clients tell of every
// release, and on the session's own bell, which our scripts ring for him alone.

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

// One who waits. `heard` by a peer's message: ours come with a bell of their own.
class Wait final : public Listener {
 public:
  Wait(engine::Waker waker, std::string channel, bool heeds_all) noexcept
      : waker_(std::move(waker)), channel_(std::move(channel)), heeds_all_(heeds_all) {}

  void heard(std::string_view message) noexcept override;
  void missed() noexcept override { waker_->ring(); }

  void ring() const noexcept { waker_->ring(); }
  const engine::Waker& waker() const noexcept { return waker_; }
  const std::string& channel() const noexcept { return channel_; }

  // When he came, in the server's microseconds; zero: not known yet.
  std::atomic<std::int64_t> arrival{0};

 private:
  const engine::Waker waker_;
  const std::string channel_;
  const bool heeds_all_;
};

// Safe for concurrent use.
class Waits {
 public:
  // `client` spells the session's bell. `alarm`: a claim was ended by an operator.
  Waits(Bells& bells, std::string_view client, engine::Waker alarm);
  ~Waits();

  const std::string& bell() const noexcept { return bell_; }  // the session's channel

  std::shared_ptr<Wait> find(engine::Ticket ticket) const;

  // From now on this ticket is rung. A failure: it may not be heard yet.
  Result<std::shared_ptr<Wait>> add(engine::Ticket ticket, engine::Waker waker,
                                    std::string channel, bool heeds_all,
                                    engine::Deadline until);
  void remove(engine::Ticket ticket) noexcept;

  // Hears the session's bell soon, without waiting for it: for those who hold for long,
  // so that an operator's `evict` reaches them at once.
  void open_door();

  // Whether one more listener on it would hear at once.
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

// engines/redis/dialer.h - makes connections, and not too many at a bad time.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/backoff.h"
#include "base/mutex.h"
#include "engines/redis/options.h"
#include "engines/redis/stream.h"

namespace holdfast::redis {

// Shared by all connections of one Requests. Safe for concurrent use.
class Dialer {
 public:
  // `moved`: see Requests.
  Dialer(Place place, std::function<void()> reconnected, std::function<void()> moved,
         const RetryPolicy& retry = {});

  // A stream on which the server knows us. After a failure callers wait a while, which
  // grows as the policy says, before they try again; who has no time for that, or
  // cannot hope, is given the same failure.
  Result<std::unique_ptr<Stream>> dial(engine::Deadline until);

  // A connection broke: the others may have, too, and the next `dial` tells the owner.
  void broke() noexcept;
  std::uint32_t breaks() const noexcept { return breaks_.load(); }

  // A connection of this era found that it leads to a replica. So do all others of that
  // era, and a new era begins: the address may lead to another server by now.
  void outdate(std::uint32_t era);
  std::uint32_t era() const noexcept { return era_.load(); }

  const Place& place() const noexcept { return place_; }

 private:
  std::optional<Failure> wait_for_turn(engine::Deadline until);
  void note(const Failure& why);

  const Place place_;
  const std::function<void()> reconnected_;
  const std::function<void()> moved_;
  std::atomic<std::uint32_t> breaks_{0};
  std::atomic<bool> broken_{false};
  std::atomic<std::uint32_t> era_{0};
  std::atomic<bool> outdated_{false};
  base::Mutex mutex_;
  base::CondVar changed_;
  std::optional<Failure> why_ HOLDFAST_GUARDED_BY(mutex_);  // the last one's
  Clock::time_point not_before_ HOLDFAST_GUARDED_BY(mutex_);
  base::Backoff backoff_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::redis

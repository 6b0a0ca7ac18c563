// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/connector.h - makes connections, and spaces the attempts
// after a failure.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/backoff.h"
#include "base/mutex.h"
#include "engines/redis/transport/route.h"

namespace holdfast::redis {

// All connections of one Requests share a connector. The class is safe for concurrent
// use.
class Connector {
 public:
  // `moved` is explained at Requests.
  Connector(Route route, std::function<void()> reconnected, std::function<void()> moved,
            const RetryPolicy& retry = {});

  // Returns a stream on which the handshake is done. After a failure, callers wait for
  // the retry policy's growing pause before the next attempt. A caller whose deadline
  // ends before that, or whose failure will not go away by retrying, gets the same
  // failure.
  Result<std::unique_ptr<Stream>> connect(engine::Deadline until);

  // Records that a connection broke. The other connections may be broken too, and the
  // next `connect` calls `reconnected`.
  void broke() noexcept;
  std::uint32_t breaks() const noexcept { return breaks_.load(); }

  // Records that a connection of this generation leads to a replica. All connections of
  // that generation do, and a new generation begins, because the address may lead to
  // another server by now.
  void mark_stale(std::uint32_t generation);
  std::uint32_t generation() const noexcept { return generation_.load(); }

  // Records that the route leads to another server now: a new generation begins, in
  // which the failures of the last one do not count.
  void begin_generation();

  // Returns how messages name the server, such as "Redis at 127.0.0.1:6379".
  const std::string& called() const noexcept { return route_.name.called; }

 private:
  std::optional<Failure> wait_for_turn(engine::Deadline until);
  void note(const Failure& why);

  const Route route_;
  const std::function<void()> reconnected_;
  const std::function<void()> moved_;
  std::atomic<std::uint32_t> breaks_{0};
  std::atomic<bool> broken_{false};
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> stale_{false};
  base::Mutex mutex_;
  base::CondVar changed_;
  // This is the failure of the last attempt.
  std::optional<Failure> why_ HOLDFAST_GUARDED_BY(mutex_);
  Clock::time_point not_before_ HOLDFAST_GUARDED_BY(mutex_);
  base::Backoff backoff_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::redis

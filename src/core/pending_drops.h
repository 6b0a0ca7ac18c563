// SPDX-License-Identifier: Apache-2.0

// core/pending_drops.h - drops that the engine has not confirmed yet.
//
//   take_due -> send -> [add -> take_due -> send]* -> confirmed

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/bound_resource.h"

namespace holdfast::core {

// The class is not safe for concurrent use, except for `send`.
class PendingDrops {
 public:
  using Time = Clock::time_point;
  struct Drop {
    BoundClaim claim;
    Time due;
    int failures = 0;
  };

  // Without the memory to repeat it, the drop is sent once and not awaited.
  void add(const Drop& drop) noexcept;

  // Returns a drop that is due, and forgets it.
  std::optional<Drop> take_due(Time now);
  std::vector<BoundClaim> take_all();

  // Calls `start` for each drop that is due, while there are few workers. `start`
  // starts a worker, which takes drops until none is due, and returns false if the
  // system gives no thread. Returns when to come back.
  Time start_workers(Time now, const std::function<bool()>& start);
  void worker_ended() noexcept { --workers_; }

  // Returns whether every drop was confirmed.
  bool done() const noexcept { return drops_.empty() && workers_ == 0; }

  // Asks the engine to drop the claim, within `limit`. Returns why this is to be
  // repeated, when the drop is due again, or nothing if it is done.
  static std::optional<Failure> send(Drop& drop, engine::LeaseTime limit) noexcept;

 private:
  std::vector<Drop> drops_;
  std::size_t workers_ = 0;
};

}  // namespace holdfast::core

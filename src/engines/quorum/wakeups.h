// SPDX-License-Identifier: Apache-2.0

// engines/quorum/wakeups.h - wakes a waiter when enough nodes have signalled a change.
//
// A release signals a change at every node that had granted the claim. A waiter that
// tried at the first signal would find the other nodes still taken; and a node that is
// free while a majority is not would wake all waiters again and again.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// The class is safe for concurrent use.
class MajorityWaker {
 public:
  // Rings `waker` when `needed` of the nodes have signalled since it last did.
  MajorityWaker(engine::Waker waker, std::size_t nodes, std::size_t needed);
  ~MajorityWaker();

  const engine::Waker& waker() const noexcept;

  // Watches that node from now on, unless it already does.
  Result<void> watch_node(std::size_t node, engine::Resource& resource,
                          engine::Deadline until);
  bool watches(std::size_t node) const;
  std::size_t watched() const;  // the number of nodes that are watched

  // Does not ring before `until`, because the waiter then tries by itself.
  void pause_until(Clock::time_point until);

  // Stops all watches for good, even if another thread calls `watch_node` later.
  void close() noexcept;

 private:
  class Count;
  class NodeSignal;

  const std::shared_ptr<Count> count_;
  mutable base::Mutex mutex_;
  bool closed_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<void>> watches_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::quorum

// engines/quorum/ears.h - wakes one who waits when enough nodes have rung.
//
// A lock that is given back rings at every node that had granted it. Who went at the
// first ring would find the others still taken; and a node that is free while a
// majority is not would wake everybody all the time.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Safe for concurrent use.
class Ears {
 public:
  // Rings `waker` when `needed` of the nodes have rung since it last did.
  Ears(engine::Waker waker, std::size_t nodes, std::size_t needed);
  ~Ears();

  const engine::Waker& waker() const noexcept;

  // Hears that node from now on, if it did not.
  Result<void> listen(std::size_t node, engine::Resource& resource,
                      engine::Deadline until);
  bool listens(std::size_t node) const;
  std::size_t listening() const;  // to how many

  // Rings nobody until then: he comes by himself.
  void rest(Clock::time_point until);

  // Hears nothing from now on, also if somebody still makes it `listen`.
  void close() noexcept;

 private:
  class Count;
  class Ear;

  const std::shared_ptr<Count> count_;
  mutable base::Mutex mutex_;
  bool closed_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<void>> watches_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::quorum

// SPDX-License-Identifier: Apache-2.0

// primitives/multi_acquirer.h - takes several locks, all or none.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/lease.h"
#include "core/wait_loop.h"
#include "holdfast/multi_lock.h"
#include "primitives/bound_primitive.h"

namespace holdfast::primitives {

// One of the locks.
struct MultiPart {
  BoundPrimitive lock;
  engine::Mode mode;
};

// A MultiAcquirer lives on the stack of one call.
//
// The locks of one client are taken in the order of their names. All callers use the
// same order, so it is safe to wait for one of them while others of that client are
// held. Between clients there is no order. So the call waits for the locks of one
// client only, while it holds no others; the locks of the other clients are taken at
// once or not at all. If one of them is held, everything is released, and its client
// comes first in the next round.
class MultiAcquirer {
 public:
  MultiAcquirer(const std::vector<MultiPart>& parts, const LeaseOptions& lease,
                const WaitOptions& options);

  // Returns the indexes of the parts in the order in which they were taken.
  Result<std::vector<std::size_t>> run();

  // Returns the holds in the order of the parts. REQUIRES: `run` has succeeded.
  std::vector<Hold> take_holds();

 private:
  using Group = std::vector<std::size_t>;  // the parts of one client

  Result<core::WaitLoop::Pause> poll_once();
  Result<void> take(std::size_t part, Timeout wait);
  Timeout time_left() const;
  void release_all() noexcept;
  std::chrono::nanoseconds pause() const;

  const std::vector<MultiPart>& parts_;
  const LeaseOptions& lease_;
  const WaitOptions& options_;
  core::WaitLoop loop_;
  std::vector<Group> groups_;  // the call waits for locks of the first one
  std::vector<std::shared_ptr<core::Lease>> leases_;
  std::vector<std::size_t> order_;
  std::size_t blocked_by_ = 0;
  int rounds_ = 0;
};

}  // namespace holdfast::primitives

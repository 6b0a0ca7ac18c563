// SPDX-License-Identifier: Apache-2.0

// primitives/multi_acquirer.h - takes several locks, all or none.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/acquisition.h"
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

// A MultiAcquirer lives as long as one call: `run`, or steps and `finish`, as an
// operation of core/call.h. The parts, the lease and the options must outlive it.
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

  // Both return the indexes of the parts in the order in which they were taken.
  Result<std::vector<std::size_t>> run();
  Result<std::vector<std::size_t>> finish(const Result<void>& ended);

  Result<core::WaitLoop::Step> step(const engine::Waker& waker);

  // Returns the holds in the order of the parts. REQUIRES: all were taken.
  std::vector<Hold> take_holds();

 private:
  using Group = std::vector<std::size_t>;  // the parts of one client
  using Outcome = Result<std::shared_ptr<core::Lease>>;

  // The part that a round has come to, while it is taken in steps.
  struct Taking {
    Taking(const core::BoundResourcePtr& bound, const core::AcquireRequest& wanted)
        : request(wanted),
          acquisition(bound, request, core::Acquisition::Form::asynchronous) {}
    const core::AcquireRequest request;
    core::Acquisition acquisition;
  };

  void begin_round() noexcept;
  std::size_t part() const noexcept { return groups_[group_][member_]; }
  core::AcquireRequest request() const;
  std::optional<Result<core::WaitLoop::Pause>> settle(Outcome outcome);
  Result<core::WaitLoop::Pause> end_round();
  Result<core::WaitLoop::Pause> poll_once();
  Timeout rest_of_wait() const;
  void release_all() noexcept;
  std::chrono::nanoseconds pause() const;

  const std::vector<MultiPart>& parts_;
  const LeaseOptions& lease_;
  const WaitOptions& options_;
  core::WaitLoop loop_;
  std::vector<Group> groups_;  // the call waits for locks of the first one
  std::size_t group_ = 0;      // which part the round has come to
  std::size_t member_ = 0;
  std::optional<Taking> taking_;
  std::vector<std::shared_ptr<core::Lease>> leases_;
  std::vector<std::size_t> order_;
  std::size_t blocked_by_ = 0;
  int rounds_ = 0;
};

}  // namespace holdfast::primitives

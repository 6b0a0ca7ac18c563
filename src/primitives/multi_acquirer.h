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

// One lock of several.
struct MultiPart {
  BoundPrimitive lock;
  engine::Mode mode;
};

// Lives on the stack of one call.
//
// The locks of one client are taken in the order of their names, and may be waited for
// while others of that client are held: everybody has the same order. Between clients
// there is none, so only the first client's locks are waited for, with nothing else in
// hand; the others are taken at once or not at all. Whoever is in the way is then
// waited for first.
class MultiAcquirer {
 public:
  MultiAcquirer(const std::vector<MultiPart>& parts, const LeaseOptions& lease,
                const WaitOptions& options);

  // On success, the parts in the order in which they were taken.
  Result<std::vector<std::size_t>> run();

  // In the order of the parts.
  std::vector<Hold> take_holds();

 private:
  using Group = std::vector<std::size_t>;  // the parts of one client

  Result<core::WaitLoop::Pause> poll_once();
  Result<void> take(std::size_t part, Timeout wait);
  Timeout time_left() const;
  void let_go() noexcept;
  std::chrono::nanoseconds pause() const;

  const std::vector<MultiPart>& parts_;
  const LeaseOptions& lease_;
  const WaitOptions& options_;
  core::WaitLoop loop_;
  std::vector<Group> groups_;  // the first one is waited for
  std::vector<std::shared_ptr<core::Lease>> leases_;
  std::vector<std::size_t> order_;
  std::size_t in_the_way_ = 0;
  int rounds_ = 0;
};

}  // namespace holdfast::primitives

// engines/quorum/backend.h - what the resources of one session share: the nodes, and
// the state of each claim.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "engines/quorum/bid.h"
#include "engines/quorum/ears.h"
#include "engines/quorum/nodes.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// A Place is the state of one claim from its first attempt until it is dropped. The
// claim has no place in any node's queue: two claims that were first in the queues of
// different nodes would wait for each other.
struct Place {
  ~Place() { deafen(); }
  void deafen() noexcept {
    if (ears != nullptr) ears->close();
    ears.reset();
  }

  std::shared_ptr<Bid> bid;          // null means that no node has it
  std::shared_ptr<Ears> ears;        // null means that the claim does not wait
  std::chrono::nanoseconds pause{};  // after the last split vote
};

// The class is safe for concurrent use.
class Backend {
 public:
  // Waits until the sessions of a majority of the nodes are open.
  static Result<std::shared_ptr<Backend>> open(
      const std::vector<std::shared_ptr<engine::Engine>>& engines,
      const engine::SessionOptions& options);

  const Nodes& nodes() const noexcept { return nodes_; }

  engine::Lease ttl() const noexcept { return ttl_; }
  engine::Lease lease_of(const engine::Claim& claim) const noexcept;

  // Returns the deadline for the answer of a node that is asked now.
  engine::Deadline node_deadline(engine::Lease lease) const noexcept;

  engine::Ticket next_ticket() noexcept { return engine::Ticket{++last_ticket_}; }

  // These find and erase the place of a ticket; `enter` creates it if there is none.
  std::shared_ptr<Place> find(engine::Ticket ticket) const;
  std::shared_ptr<Place> enter(engine::Ticket ticket);
  void leave(engine::Ticket ticket) noexcept;

  // Drops the bid at every node, even where the answer to its attempt was lost, and
  // retries until each node has confirmed the drop. It waits as `Nodes::ask` does.
  Answers<void> give_up(const std::shared_ptr<Bid>& bid, engine::Lease lease,
                        engine::Deadline until,
                        std::function<bool(const Answers<void>&)> settled) const;

 private:
  Backend(const std::vector<std::shared_ptr<engine::Engine>>& engines,
          const engine::SessionOptions& options);

  const std::chrono::nanoseconds ttl_;
  std::atomic<std::uint64_t> last_ticket_{0};
  mutable base::Mutex mutex_;
  std::map<engine::Ticket, std::shared_ptr<Place>> places_ HOLDFAST_GUARDED_BY(mutex_);
  const Nodes nodes_;  // It is the last member, so that its threads end first.
};

}  // namespace holdfast::quorum

// SPDX-License-Identifier: Apache-2.0

// engines/etcd/lost_claims.h - claims that a renewal or a change has found gone.
//
//   LostClaims lost(backend);
//   lost.add(queue, ticket);    // from now on, the claim is not known any more
//   ...                         // the other claims are asked about
//   lost.clear_away();          // what they have left behind

#pragma once

#include <vector>

#include "engines/etcd/queue.h"

namespace holdfast::etcd {

// An object belongs to one thread.
class LostClaims {
 public:
  explicit LostClaims(Backend& backend) noexcept : backend_(backend) {}

  // Forgets a granted claim that is gone, because no drop follows.
  void add(Queue& queue, engine::Ticket ticket);

  // Removes what the claims may have left behind: the grant time of each, and its key
  // if a request that was not answered may still create that. The caller has yet to
  // tell the losses, so it takes few requests and little time. What is not removed in
  // this time ends with the lease.
  void clear_away();

 private:
  struct Rest {
    Queue* queue;
    engine::Ticket ticket;
    ClaimTable::Lost claim;
  };
  Backend& backend_;
  std::vector<Rest> rests_;
};

}  // namespace holdfast::etcd

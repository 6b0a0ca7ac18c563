// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/claim_state.h - what this client knows of one claim.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/kit/claim_machine.h"
#include "engines/zookeeper/wakeups.h"

namespace holdfast::zookeeper {

// This is a granted claim as `renew` sees it.
struct HeldClaim {
  std::int64_t session_id = 0;  // the ZooKeeper session
  std::vector<std::string> nodes;
  std::shared_ptr<WatchSet> own_watch;  // null means that the nodes are not watched yet
};

// The state belongs to the calls for one ticket, which come one after another. Only a
// granted claim may be amended, dropped and found to be lost at the same time. Those
// calls hold ClaimResource::granted_mutex_ while they use `node`, `next_node`,
// `leases`, `own_watch` and `amending`. Only its amendments use `mode` and `permits`,
// and nothing else changes while it is granted. `session_id` is the ZooKeeper session.
struct ClaimState : kit::ClaimProgress {
  std::string id;                   // the claim's id, spelt as a UUID
  bool may_exist = false;           // a node may exist whose name is not known
  std::string node;                 // the path of its node in the queue, or empty
  std::string next_node;            // what the node becomes by the change under way
  std::vector<std::string> leases;  // the paths of a semaphore's leases
  std::uint64_t token = 0;          // of the last node that was created
  bool is_first = false;            // in the queue
  bool leases_may_exist = false;    // the leases may exist
  int amending = 0;                 // so many changes are under way
  bool obstacle_is_last = false;    // when the obstacle is deleted, the claim is first
  std::shared_ptr<WatchSet> obstacle_watch;  // what must go or come first
  std::shared_ptr<WatchSet> own_watch;       // the claim's own node
  std::shared_ptr<WatchSet> capacity_watch;  // the capacity of a semaphore

  void disarm() noexcept {
    obstacle_watch.reset();
    capacity_watch.reset();
  }
  // Resets the claim to the state before its first attempt.
  void start_again();
  std::vector<std::string> nodes() const;
  // Returns also what a change may have created.
  std::vector<std::string> possible_nodes() const;
};

using ClaimTable = kit::ClaimTable<ClaimState, HeldClaim>;

}  // namespace holdfast::zookeeper

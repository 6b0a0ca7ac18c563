// engines/zookeeper/claim_state.h - what is known here of one claim.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/kit/claim_table.h"
#include "engines/zookeeper/wakeups.h"

namespace holdfast::zookeeper {

// A granted claim as `renew` sees it.
struct HeldClaim {
  std::int64_t under = 0;  // the session
  std::vector<std::string> nodes;
  std::shared_ptr<WatchSet> own_watch;  // null: nobody watches them yet
};

// Belongs to the calls for one ticket, which come one after another. Only a claim that
// is granted may be amended, dropped and found to be gone at the same time: those calls
// hold ZookeeperResource::granted_ while they use it.
struct ClaimState {
  std::string id;                   // in a UUID's spelling
  std::int64_t session = 0;         // in which everything below is so
  bool may_exist = false;           // a node may have been made whose name is not known
  std::string node;                 // the path of its place in line; empty: none
  std::string next_node;            // what it becomes, if that has been done
  std::vector<std::string> leases;  // paths of a semaphore's
  std::uint64_t token = 0;          // of the last node that was made
  bool is_first = false;            // in line
  bool leases_may_exist = false;    // its leases may have been made
  bool granted = false;
  int amending = 0;                          // calls that are under way
  bool obstacle_is_last = false;             // when `ahead` goes, the turn has come
  std::shared_ptr<WatchSet> obstacle_watch;  // who must go first
  std::shared_ptr<WatchSet> own_watch;       // our own node, while it waits
  std::shared_ptr<WatchSet> capacity_watch;  // of a semaphore

  // As before the first attempt, for another session.
  void start_again(std::int64_t in_session);
  std::vector<std::string> nodes() const;
  std::vector<std::string> possible_nodes() const;  // and what it may have become
  HeldClaim held_claim() const { return {session, nodes(), own_watch}; }
};

using ClaimTable = kit::ClaimTable<ClaimState, HeldClaim>;

}  // namespace holdfast::zookeeper

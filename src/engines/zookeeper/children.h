// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/children.h - the names of the nodes in a recipe's directory.
//
//   _c_f47ac10b-58cc-4372-a567-0e02b2c3d479-lock-0000000007
//   ^ protection, with the claim's id       ^ base ^ sequence
//
// Names and order are Curator's: children are ordered by what follows the last base
// name, compared as text, and a child without a base name by its whole name.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// What a child is for.
enum class NodeRole : std::uint8_t {
  lock,    // InterProcessMutex, LeaderSelector, and <semaphore>/locks
  latch,   // LeaderLatch
  read,    // InterProcessReadWriteLock
  write,   //
  lease,   // <semaphore>/leases
  part,    // locks, leases or permits in the directory of a semaphore
  member,  // a claim of a double barrier
  ready,   //
  kazoo,   // Lock, ReadLock and WriteLock of kazoo, which ignore other nodes
  other,
};
NodeRole role_of(std::string_view child) noexcept;

// Returns "lock-", "__READ__" and so on, or nothing if such names have no base.
std::string_view base_of(NodeRole role) noexcept;

// Returns the role of the node that a claim of this kind and mode creates.
NodeRole role_for(engine::Kind kind, engine::Mode mode) noexcept;

// Returns whether such a child may be in a directory of this kind.
bool belongs(NodeRole role, engine::Kind kind) noexcept;

// Returns "_c_<id>-", with which every child of one claim begins.
std::string protection(std::string_view id);
// Returns the protection of any child, or nothing if it has none.
std::string_view protection_of(std::string_view child) noexcept;

// Returns the part of the name by which the child is ordered.
std::string_view order_of(std::string_view child) noexcept;
void put_in_order(std::vector<std::string>& children);

// Returns the digits after the base name as a number, or nullopt if there are none.
std::optional<std::int64_t> sequence_of(std::string_view child) noexcept;

// Returns whether the directory's counter is used up, or nearly. At 2147483647 it
// stops, or goes on with negative numbers, which sort before all others.
bool is_wrapped(std::string_view child) noexcept;

}  // namespace holdfast::zookeeper

// engines/zookeeper/children.h - what the children of a recipe's directory are called.
//
//   _c_f47ac10b-58cc-4372-a567-0e02b2c3d479-lock-0000000007
//   ^ protection, and whose it is           ^ base ^ sequence
//
// Names and order are Curator's: what follows the last base name decides, compared as
// text, and a child without one is ordered by its whole name.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/engine/claim.h"

namespace holdfast::zookeeper {

// What a child belongs to.
enum class NodeRole : std::uint8_t {
  lock,    // InterProcessMutex, LeaderSelector, and <semaphore>/locks
  latch,   // LeaderLatch
  read,    // InterProcessReadWriteLock
  write,   //
  lease,   // <semaphore>/leases
  part,    // locks, leases or permits: the directory of a semaphore
  member,  // of a double barrier
  ready,   //
  kazoo,   // Lock, ReadLock and WriteLock of kazoo, which see no others
  other,
};
NodeRole role_of(std::string_view child) noexcept;

// "lock-", "__READ__", ...; empty where names have none.
std::string_view base_of(NodeRole role) noexcept;

// Which sort a claim of this kind and mode makes in its directory.
NodeRole role_for(engine::Kind kind, engine::Mode mode) noexcept;

// Whether such a child may be in a directory of this kind.
bool belongs(NodeRole role, engine::Kind kind) noexcept;

// "_c_<id>-": what every child of one claim begins with.
std::string protection(std::string_view id);
// The same of any child; empty: it is not protected.
std::string_view protection_of(std::string_view child) noexcept;

// By what it is ordered.
std::string_view order_of(std::string_view child) noexcept;
void put_in_order(std::vector<std::string>& children);

// The digits behind the base name as a number; nothing: there are none.
std::optional<std::int64_t> sequence_of(std::string_view child) noexcept;

// Whether the directory's counter is used up, or nearly: at 2147483647 it stands still,
// or goes on with negative numbers, which sort before all others.
bool is_wrapped(std::string_view child) noexcept;

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

// tests/faults/redis/hand_over.h - a lock "a" that a release hands over.

#pragma once

#include <cstdint>
#include <string>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "support/eventually.h"

namespace holdfast::test {

class HandOverOnRedis : public OnRedis {
 protected:
  std::string holder() const { return server_.command({"HKEYS", "a"}); }
  bool holds(const ClaimLock& lock) const {
    const auto ticket = static_cast<std::uint64_t>(lock.claim().ticket);
    return holder().ends_with(":h" + std::to_string(ticket));
  }
  long left() const { return std::stol(server_.command({"PTTL", "a"})); }
  long token() const {
    return std::stol(server_.command({"GET", "redisson_lock_token:{a}"}));
  }
  static bool granted(ClaimLock& lock) {
    return eventually([&] { return lock.again(); });
  }
};

}  // namespace holdfast::test

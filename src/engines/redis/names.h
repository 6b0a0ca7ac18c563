// SPDX-License-Identifier: Apache-2.0

// engines/redis/names.h - the keys and channels of one name.
//
// These are Redisson's rules: `prefix:{name}` and `{name}:suffix`, and no braces are
// added where the name has a '{' of its own, so that the keys of a name share a hash
// slot. Our own keys are then `prefix::name`, because "a" and "{a}" are two names.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engines/redis/transport/script.h"
#include "engines/redis/transport/slot.h"

namespace holdfast::redis {

// A part says what a key or channel is for.
enum class Part : std::uint8_t {
  lock,             // the lock itself, or the value of a register
  record,           // the record of one owner
  queue,            // the queue of our waiters
  token,            // the last fencing token
  channel,          // the channel on which releases are published
  fair_queue,       // the list of RFairLock
  fair_timeouts,    // the timeouts of RFairLock
  permit_timeouts,  // the timeouts of RPermitExpirableSemaphore
  holders,          // our holders, for observers
  reader_timeout,   // the timeout of one reader of RReadWriteLock
  no_key,           // a key that never exists: scripts/README.md
};

// These are the prefixes of a name's keys. An empty prefix means the bare name.
struct KeyPrefixes {
  std::string_view lock;
  std::string_view channel;
  std::string_view token = "redisson_lock_token";
  std::string_view queue = "holdfast_queue";
  std::string_view record = "holdfast";
};

class KeyNames {
 public:
  // Both arguments must outlive this object.
  KeyNames(const KeyPrefixes& prefixes, std::string_view name) noexcept;

  void add_key(Invocation& call, Part part, std::string_view owner) const;
  void add_channel(Invocation& call) const;
  std::string text(Part part, std::string_view owner = {}) const;

  std::string record_prefix() const;   // followed by an owner, the key of that owner's
                                       // record
  std::string timeout_prefix() const;  // followed by a reader and ":rwlock_timeout:1"

  // Returns the slot of the keys and the channel in a cluster, or nothing if they are
  // not all in one slot because of the name's braces.
  std::optional<Slot> slot() const;

 private:
  template <class Use>
  decltype(auto) spell(Part part, std::string_view owner, Use&& use) const;

  const KeyPrefixes& prefixes_;
  std::string_view name_;
  bool braced_;
};

}  // namespace holdfast::redis

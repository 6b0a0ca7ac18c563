// SPDX-License-Identifier: Apache-2.0

// engines/etcd/grant_times.h - since when claims are held, for observers.
//
//   <prefix>%marks/since/N/<revision>   microseconds since 1970, in UTC
//
// etcd keeps no times, so the first renewal of a hold writes this key, under the same
// lease; <revision> is the create_revision of the claim's key, in 16 hexadecimal
// digits. It is a key of its own because peers go by the claim's key: a waiter of Go's
// RWMutex by its last change, an observer of Go's Election by its value.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "engines/etcd/transport/wire.pb.h"
#include "holdfast/clock.h"

namespace holdfast::etcd {

// Knows the keys of the grant times of one resource. The class is safe for concurrent
// use.
class GrantTimes {
 public:
  // `key` is N, and begins with `root`.
  GrantTimes(const std::string& root, const std::string& key);

  std::string key_of(std::int64_t revision) const;
  static std::string text_of(Clock::time_point granted);

  // Returns the request for the times of the first claims.
  wire::RangeRequest first(std::size_t limit) const;

  // Returns the times in the answer, by revision. Keys that cannot be parsed are left
  // out.
  using Times = std::unordered_map<std::int64_t, std::chrono::system_clock::time_point>;
  Times read(const wire::RangeResponse& answer) const;

 private:
  const std::string below_;
};

}  // namespace holdfast::etcd

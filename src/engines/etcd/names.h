// SPDX-License-Identifier: Apache-2.0

// engines/etcd/names.h - how a name becomes keys.
//
// A name is opaque, but keys nest: a client that locks `a` as Go does waits behind
// every key that starts with `a/`. So `/` is spelt %2F and `%` is spelt %25. With
// ?names=raw a name is a key as peers spell it, and then no name may be the beginning
// of another one's path.
//
//   mutex, fair mutex, election   N/<lease>; for a second claim N/<lease>-<ticket>
//   shared mutex                  N/read/<lease>-<ticket>, N/write/<lease>-<ticket>
//   semaphore                     N/claims/<lease>-<ticket>, and N/permits
//   double barrier                N/waiters/<lease>-<ticket>, and N/ready
//   registers                     N itself

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

std::string encode_name(std::string_view name);

// Returns nullopt if no name is spelt like this.
std::optional<std::string> decode_name(std::string_view key);

// Returns the first key after all that start with `prefix`.
std::string end_of(std::string prefix);

std::string hex(std::uint64_t number);

// Returns "<lease>-<ticket>".
std::string id_of(std::int64_t lease, engine::Ticket ticket);

// The part that follows `N/` says what a key is for.
enum class KeyRole : std::uint8_t {
  lock,
  read,
  write,
  claim,
  permits,
  waiter,
  ready,
  other
};
KeyRole role_of(std::string_view rest) noexcept;

// Returns whether the key is a claim, waiting or granted.
bool is_claim_key(KeyRole role) noexcept;

// Returns whether a resource of this kind has such keys.
bool belongs(KeyRole role, engine::Kind kind) noexcept;

}  // namespace holdfast::etcd

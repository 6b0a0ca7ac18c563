// SPDX-License-Identifier: Apache-2.0

// core/lease_terms.h - the terms on which a claim is leased, and what was granted.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "holdfast/engine/claim.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

// A caller's lease options as one engine understands them.
struct LeaseTerms {
  engine::LeaseTime lease{};  // for Claim::lease; zero means the session's
  bool renewed = true;
  Timeout cap = Timeout::forever();

  // Returns whether the grant ends by time, so that the clock has to be watched.
  bool timed(bool leased) const noexcept;
};

// Errc::bad_argument means that the ttl is negative, or that the lease would end at
// once. `name` is that of the resource, for the message; `ttl` is the client's.
Result<void> check_lease(std::string_view name, const LeaseOptions& options,
                         std::chrono::milliseconds ttl);

// Where grants do not end by time (`leased` is false), a renewed lease has no end, and
// a capped one becomes a fixed one. Where claims end with the session
// (`session_bound`), a fixed lease becomes a renewed one with a cap. REQUIRES:
// `check_lease` has accepted the options.
LeaseTerms terms_for(const LeaseOptions& options, std::chrono::milliseconds ttl,
                     bool leased, bool session_bound = false) noexcept;

// The data that a lease begins with. One thread of a process can hand it to the next
// (core/gate.h).
struct LeaseStart {
  engine::Claim claim;
  LeaseTerms terms;
  FencingToken token;
  engine::LeaseTime lease = engine::kNoLease;  // what the engine gave, from `sent` on
  Clock::time_point sent{};        // time of the last request that it answered
  Clock::time_point since{};       // time of the first grant of this claim
  std::uint32_t spare_tokens = 0;  // reserved after `token`, for hand-over
  std::uint32_t capacity = 0;      // of a semaphore, as engine::Granted has it
  bool one_token = false;          // whether these all equal `token`
  std::uint64_t turn = 0;          // of the gate; zero means that it has none
};

}  // namespace holdfast::core

// core/lease_terms.h - on which terms a claim is leased, and what was granted.

#pragma once

#include <chrono>
#include <cstdint>

#include "holdfast/engine/claim.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

// A caller's lease options as one engine understands them.
struct LeaseTerms {
  engine::Lease lease{};  // for Claim::lease; zero: the session's
  bool renewed = true;
  Timeout cap = Timeout::forever();

  // Whether the grant ends by time, so that the clock has to be watched.
  bool timed(bool leased) const noexcept;
};

// Where grants do not end by time (`leased` is false), a renewed lease is none at all,
// and a capped one is fixed. Where claims hang on the session (`session_bound`), a
// fixed one is renewed with a cap. Errc::bad_argument: a negative ttl, or no time at
// all.
Result<LeaseTerms> terms_for(const LeaseOptions& options, std::chrono::milliseconds ttl,
                             bool leased, bool session_bound = false);

// What a lease begins with. Plain data: one thread of a process hands it to the next
// (core/gate.h).
struct LeaseStart {
  engine::Claim claim;
  LeaseTerms terms;
  FencingToken token;
  engine::Lease lease = engine::kNoLease;  // what the engine gave, counted from `sent`
  Clock::time_point sent{};                // of the last request that it answered
  Clock::time_point since{};               // of the first grant of this claim
  std::uint32_t spare_tokens = 0;          // reserved after `token`, for hand-over
  bool one_token = false;                  // and equal to it
  std::uint64_t turn = 0;                  // of the gate; zero: there is none
};

}  // namespace holdfast::core

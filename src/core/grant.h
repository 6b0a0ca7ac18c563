// core/grant.h - what the wait loop brings home.

#pragma once

#include <cstdint>

#include "holdfast/engine/claim.h"

namespace holdfast::core {

struct Grant {
  engine::Claim claim;
  FencingToken token;
  engine::Lease lease = engine::kNoLease;  // what the engine gave, counted from `sent`
  Clock::time_point sent{};                // of the last request that it answered
  Clock::time_point since{};               // of the first grant of this claim
  std::uint32_t spare_tokens = 0;          // reserved after `token`, for hand-over
  bool one_token = false;                  // and equal to it
  std::uint64_t turn = 0;                  // of the gate; zero: there is none
};

}  // namespace holdfast::core

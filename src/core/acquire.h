// SPDX-License-Identifier: Apache-2.0

// core/acquire.h - waits until the engine grants a claim.
//
//   turn of the gate -> attempt -> [sleep -> attempt]* -> granted
//
// Every primitive that waits for a claim waits here, in the loop of core/wait_loop.h;
// an asynchronous call takes the same steps (core/acquisition.h).

#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

#include "core/bound_resource.h"
#include "core/lease_terms.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

struct AcquireRequest {
  const LeaseOptions& lease;
  Timeout wait = Timeout::forever();      // zero means one attempt that leaves no trace
  const std::stop_token* stop = nullptr;  // null means that nothing cancels the wait
  bool explain = true;                    // a timeout names the process that holds it
  bool gate = true;                       // false asks the engine out of turn
  bool tried = false;                     // an attempt without a waker has just failed

  // These describe the claim, as in engine::Claim. `payload` must outlive the call.
  engine::Mode mode = engine::Mode::exclusive;
  std::uint32_t permits = 1;
  std::uint32_t capacity = 0;
  std::string_view payload = {};
};

// Errc::timed_out and cancelled mean that the claim was not granted in time; every
// other error means that the engine could not answer. No failure leaves a claim behind:
// what cannot be dropped now is left to the renewer. Most callers want a Lease
// (core/lease.h), which begins with this.
Result<LeaseStart> acquire(const BoundResourcePtr& bound,
                           const AcquireRequest& request);

}  // namespace holdfast::core

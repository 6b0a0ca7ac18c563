// core/acquire.h - from wanting a claim to having it.
//
//   turn of the gate -> attempt -> [signal.wait -> attempt]* -> grant
//
// Every primitive that waits for a claim waits here, in the loop of core/wait_loop.h.

#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>

#include "core/bound.h"
#include "core/grant.h"
#include "core/terms.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

struct Want {
  const LeaseOptions& lease;
  Timeout wait = Timeout::forever();      // zero: one attempt that leaves no trace
  const std::stop_token* stop = nullptr;  // null: nobody cancels
  bool explain = true;                    // on timeout, say who holds it
  bool gate = true;                       // false: ask the engine out of turn
  bool tried = false;                     // one attempt without a place just failed

  // What the claim is; as in engine::Claim. `payload` must live as long as the call.
  engine::Mode mode = engine::Mode::exclusive;
  std::uint32_t permits = 1;
  std::uint32_t capacity = 0;
  std::string_view payload = {};
};

// Errc::timed_out and cancelled mean contention; every other error, that the engine
// could not answer. No failure leaves a claim behind: what cannot be dropped now is
// doomed.
Result<Grant> acquire(const BoundPtr& bound, const Want& want);

// Whether the caller waits to hear that the claim is gone, also where the engine sees
// to that by itself.
enum class Confirm : bool { no, yes };

// Gives a claim up at the engine. An error: it was doomed, and its end is not known.
// Errc::not_held: there was nothing any more.
Result<void> give_up(const BoundPtr& bound, const engine::Claim& claim,
                     Confirm confirm = Confirm::yes) noexcept;

}  // namespace holdfast::core

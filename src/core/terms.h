// core/terms.h - a caller's lease options as one engine understands them.

#pragma once

#include <chrono>

#include "holdfast/engine/claim.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"

namespace holdfast::core {

struct Terms {
  engine::Lease lease{};  // for Claim::lease; zero: the session's
  bool renewed = true;
  Timeout cap = Timeout::forever();

  // The grant ends by time, so somebody must look at the clock.
  bool timed(bool leased) const noexcept { return leased || lease.count() != 0; }
};

// Where grants do not end by time (`leased` is false), a renewed lease is none at all,
// and a capped one is fixed. Where claims hang on the session (`sessional`), a fixed
// one is renewed with a cap. Errc::bad_argument: a negative ttl, or no time at all.
Result<Terms> terms_for(const LeaseOptions& options, std::chrono::milliseconds ttl,
                        bool leased, bool sessional = false);

}  // namespace holdfast::core

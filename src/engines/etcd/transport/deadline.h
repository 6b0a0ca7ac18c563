// SPDX-License-Identifier: Apache-2.0

// engines/etcd/transport/deadline.h - a deadline as gRPC takes it.

#pragma once

#include <grpc/support/time.h>

#include "base/time_left.h"
#include "holdfast/engine/claim.h"

namespace holdfast::etcd {

inline gpr_timespec to_timespec(engine::Deadline until) noexcept {
  if (until == engine::Deadline::max()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  const auto left = base::time_left(until, Clock::duration::max());
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(left.count(), GPR_TIMESPAN));
}

}  // namespace holdfast::etcd

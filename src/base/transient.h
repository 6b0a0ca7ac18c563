// SPDX-License-Identifier: Apache-2.0

// base/transient.h - tells whether an error may go away by a retry.

#pragma once

#include "holdfast/result.h"

namespace holdfast::base {

// Returns whether the same call, retried, may have another result.
inline bool is_transient(const Failure& why) noexcept {
  return why.code == Errc::unavailable || why.code == Errc::outcome_unknown;
}

}  // namespace holdfast::base

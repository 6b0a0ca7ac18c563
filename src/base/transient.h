// base/transient.h - whether an error is about the engine or about the moment.

#pragma once

#include "holdfast/result.h"

namespace holdfast::base {

// Whether the same call, repeated, may find another answer.
inline bool is_transient(const Failure& why) noexcept {
  return why.code == Errc::unavailable || why.code == Errc::outcome_unknown;
}

}  // namespace holdfast::base

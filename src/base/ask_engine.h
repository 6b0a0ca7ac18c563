// SPDX-License-Identifier: Apache-2.0

// base/ask_engine.h - a call into an engine where an exception has nowhere to go.

#pragma once

#include <exception>

#include "holdfast/result.h"

namespace holdfast::base {

// Returns what `call` returns, a Result. An engine that throws, because there is no
// memory, has not answered, and may have done what it was asked.
template <class Call>
auto ask_engine(const Call& call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception&) {
    return Errc::outcome_unknown;
  }
}

// Returns what `call` returns: whether an engine has answered. One that throws has not.
template <class Call>
bool is_answered(const Call& call) noexcept {
  try {
    return call();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace holdfast::base

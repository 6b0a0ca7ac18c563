// SPDX-License-Identifier: Apache-2.0

#include "holdfast/engine/session.h"

#include <memory>

#include "base/thread_signal.h"

namespace holdfast::inline v0::engine {

// They are defined out of line, so that the library describes each of these classes
// once and the check of its ABI sees them.
Signal::~Signal() = default;
Resource::~Resource() = default;
Engine::~Engine() = default;

Waker Session::signal() { return std::make_shared<base::ThreadSignal>(); }

}  // namespace holdfast::inline v0::engine

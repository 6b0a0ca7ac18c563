// SPDX-License-Identifier: Apache-2.0

#include "holdfast/engine/session.h"

#include <memory>

#include "base/thread_signal.h"

namespace holdfast::inline v0::engine {

Waker Session::signal() { return std::make_shared<base::ThreadSignal>(); }

}  // namespace holdfast::inline v0::engine

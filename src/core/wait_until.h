// SPDX-License-Identifier: Apache-2.0

// core/wait_until.h - waits until the state of a resource is what the caller wants.

#pragma once

#include <functional>

#include "core/wait_loop.h"

namespace holdfast::core {

// `look(deadline)` returns whether the state is reached. No watch is set before the
// first look. The errors are those of WaitLoop::run.
Result<void> wait_until(const BoundResource& bound, const WaitOptions& options,
                        const std::function<Result<bool>(engine::Deadline)>& look);

}  // namespace holdfast::core

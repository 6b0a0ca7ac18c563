// core/wait_until.h - waits until a resource is as the caller wants it.

#pragma once

#include <functional>

#include "core/wait_loop.h"

namespace holdfast::core {

// `look(deadline)` says whether it is so. The first look costs no watch. Errors as in
// WaitLoop::run.
Result<void> wait_until(const BoundResource& bound, const WaitOptions& options,
                        const std::function<Result<bool>(engine::Deadline)>& look);

}  // namespace holdfast::core

// core/open_session.h - opens a session at a server that may not be reachable yet.

#pragma once

#include <memory>

#include "holdfast/engine/session.h"
#include "holdfast/retry.h"

namespace holdfast::core {

// Tries as often as the retry policy of the options says, with its pauses in between.
Result<std::unique_ptr<engine::Session>> open_session(
    engine::Engine& engine, const engine::SessionOptions& options);

// Returns an engine whose sessions are opened like that, by a policy of its own.
std::unique_ptr<engine::Engine> with_retry(std::unique_ptr<engine::Engine> engine,
                                           const RetryPolicy& retry);

}  // namespace holdfast::core

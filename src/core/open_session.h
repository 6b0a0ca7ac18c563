// SPDX-License-Identifier: Apache-2.0

// core/open_session.h - opens a session at a server that may not be reachable yet.

#pragma once

#include <memory>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// Tries as often as the retry policy of the options says, with its pauses in between.
Result<std::unique_ptr<engine::Session>> open_session(
    engine::Engine& engine, const engine::SessionOptions& options);

// Makes an engine whose sessions are opened like that, by what the URL of a quorum's
// node says. What it does not say about pauses is as the client's policy says; how
// often to try is not taken from there, because a node that is down must not keep its
// thread.
std::unique_ptr<engine::Engine> with_retry(std::unique_ptr<engine::Engine> engine,
                                           const base::Uri& uri);

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

// engines/redis/engine.h - locks in Redis, in the key layouts of Redisson.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/engine_entry.h"
#include "base/uri.h"
#include "holdfast/engine/session.h"
#include "holdfast/export.h"

namespace holdfast::redis {

// Errc::bad_url is explained in engines/redis/options.h.
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// Returns the names of the engine's options in a URL or a configuration file.
std::vector<std::string_view> option_names();

}  // namespace holdfast::redis

// This is the one function that the engine's library exports.
extern "C" HOLDFAST_EXPORT const holdfast::base::EngineEntry*
holdfast_redis_engine_v0() noexcept;

// engines/redis/engine.h - locks in Redis, in the layouts of Redisson.

#pragma once

#include <memory>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// Errc::bad_url: see engines/redis/options.h.
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

}  // namespace holdfast::redis

// engines/redis/engine.h - locks in Redis, in the layouts of Redisson.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/uri.h"
#include "holdfast/engine/session.h"

namespace holdfast::redis {

// Errc::bad_url: see engines/redis/options.h.
Result<std::unique_ptr<engine::Engine>> make_engine(const base::Uri& uri);

// The names of its options, in URL and config file.
std::vector<std::string_view> option_names();

}  // namespace holdfast::redis

// engines/redis/handshake.h - a stream on which the server knows us.

#pragma once

#include <memory>

#include "engines/redis/options.h"
#include "engines/redis/stream.h"

namespace holdfast::redis {

// Connects, then sends AUTH, SELECT and CLIENT SETNAME in one write and waits for the
// answers. Errc::unavailable: not reached, or it cannot serve now. Errc::denied: user,
// password or certificate. Errc::incompatible: it answers, but not as Redis does.
Result<std::unique_ptr<Stream>> open_stream(const Place& place, engine::Deadline until);

}  // namespace holdfast::redis

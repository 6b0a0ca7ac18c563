// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/handshake.h - connects and identifies the client to the
// server.

#pragma once

#include <memory>

#include "engines/redis/options.h"
#include "engines/redis/transport/stream.h"

namespace holdfast::redis {

// Connects, sends AUTH, SELECT and CLIENT SETNAME in one write and waits for the
// answers. A server that sentinels named is also asked whether it is the primary.
// Errc::unavailable means that the server was not reached or cannot serve now.
// Errc::denied is about the user, the password or the certificate. Errc::incompatible
// means that what answers is not Redis.
Result<std::unique_ptr<Stream>> open_stream(const Endpoint& endpoint,
                                            engine::Deadline until);

}  // namespace holdfast::redis

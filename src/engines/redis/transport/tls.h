// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/tls.h - a stream over TLS 1.2 or newer.

#pragma once

#include <memory>

#include "engines/redis/options.h"
#include "engines/redis/transport/socket.h"
#include "engines/redis/transport/stream.h"

namespace holdfast::redis {

// Verifies the chain and the host name, unless the endpoint turns that off.
// Errc::denied says what is wrong with the server's certificate or with ours.
// Errc::incompatible means that the server does not speak TLS.
Result<std::unique_ptr<Stream>> shake_hands_tls(Socket socket, const Endpoint& endpoint,
                                                engine::Deadline until);

}  // namespace holdfast::redis

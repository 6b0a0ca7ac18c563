// engines/redis/tls.h - a stream over TLS 1.2 or newer.

#pragma once

#include <memory>

#include "engines/redis/options.h"
#include "engines/redis/socket.h"
#include "engines/redis/stream.h"

namespace holdfast::redis {

// Verifies the chain and the host name, unless the place says not to. Errc::denied says
// what is wrong with the certificate, or with ours; Errc::incompatible: the server does
// not speak TLS.
Result<std::unique_ptr<Stream>> greet_tls(Socket socket, const Place& place,
                                          engine::Deadline until);

}  // namespace holdfast::redis

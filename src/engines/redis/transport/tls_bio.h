// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/tls_bio.h - lets OpenSSL use the socket.

#pragma once

#include <openssl/types.h>

#include "engines/redis/transport/socket.h"

namespace holdfast::redis {

// OpenSSL's own socket BIO would raise SIGPIPE in a program that does not expect it.
// This one does not, and it never blocks. The caller keeps the ownership of the socket,
// and the socket must not move.
void attach(SSL* ssl, Socket& socket);

}  // namespace holdfast::redis

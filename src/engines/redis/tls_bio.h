// engines/redis/tls_bio.h - how OpenSSL reaches the socket.

#pragma once

#include <openssl/types.h>

#include "engines/redis/socket.h"

namespace holdfast::redis {

// OpenSSL's own way of writing would raise SIGPIPE in a program that does not expect
// it. This one does not, and never blocks. The socket stays the caller's, and where it
// is.
void attach(SSL* ssl, Socket& socket);

}  // namespace holdfast::redis

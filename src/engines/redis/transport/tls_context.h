// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/tls_context.h - trusted certificates, the client's
// certificate, and TLS errors.

#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "engines/redis/options.h"
#include "holdfast/result.h"

namespace holdfast::redis {

struct TlsFree {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};
using TlsContext = std::unique_ptr<SSL_CTX, TlsFree>;
using TlsHandle = std::unique_ptr<SSL, TlsFree>;

// Reads the files that the options name. Errc::denied: one of them cannot be used.
Result<TlsContext> make_tls_context(const base::TlsOptions& options);

// Sets the host that the certificate must be for.
void expect_name(SSL* ssl, const std::string& name);

// Explains why SSL_connect failed; `name` is the expected host.
Failure why_not_greeted(SSL* ssl, const Endpoint& endpoint, const std::string& name);

// Errc::internal: OpenSSL cannot begin.
Failure no_tls();

// Returns what to try if a server does not speak TLS.
std::string hint_about_plain(const Endpoint& endpoint);

// Returns this thread's first error in OpenSSL's words.
std::string tls_error();

}  // namespace holdfast::redis

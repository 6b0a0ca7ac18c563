// SPDX-License-Identifier: Apache-2.0

// tests/faults/tls.h - connections over TLS: which servers the client trusts, and how
// it says that it does not.

#pragma once

#include <functional>
#include <string>

#include "support/tls_files.h"

namespace holdfast::test {

struct Tls {
  TlsFiles& files;
  std::function<void(const Identity&)> serve;  // makes the server show this certificate
  std::function<std::string(const std::string& options)> url;  // options: "ca=/file"

  std::string trusting(const std::string& options = {}) const;
};

void a_good_certificate(const Tls& tls);
void waiters_are_woken(const Tls& tls);
void an_expired_certificate(const Tls& tls);
void a_foreign_authority(const Tls& tls);
void no_authority(const Tls& tls);
void another_hosts_certificate(const Tls& tls);
void files_that_are_not_there(const Tls& tls);

// Returns whether the server lets a client in that shows its certificate.
bool knows_us(const Tls& tls);

// `says` is a pattern that the message has to match.
void expect_distrust(const std::string& url, const std::string& says = "ertificate");

}  // namespace holdfast::test

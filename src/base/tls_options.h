// SPDX-License-Identifier: Apache-2.0

// base/tls_options.h - TLS, as a URL or a config file asks for it.

#pragma once

#include <string>

namespace holdfast::base {

struct TlsOptions {
  bool on = false;
  bool verify = true;     // ?verify=no
  std::string ca_file;    // ?ca=FILE; empty means the system's
  std::string cert_file;  // ?cert=FILE, with ?key=FILE: this client's own certificate
  std::string key_file;
  std::string server_name;  // ?server_name=; empty means the host
};

}  // namespace holdfast::base

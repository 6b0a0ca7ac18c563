// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/server_info.h - what the server behind a URL is and can do.

#pragma once

#include <string>
#include <vector>

#include "engines/mysql/transport/pool.h"

namespace holdfast::mysql {

struct ServerInfo {
  // GET_LOCK works between all clients. It does not in a cluster of several primaries,
  // nor through a proxy that spreads statements over connections.
  bool has_bells = false;
  std::string version;  // such as "10.11.6-MariaDB"
  std::vector<std::string> warnings;
};

// Connects and asks. Errc::unsupported means that ?mode=getlock cannot be had there; a
// server of another sort is reported as such.
Result<ServerInfo> read_server_info(Pool& pool, engine::Deadline until);

}  // namespace holdfast::mysql

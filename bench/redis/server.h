// SPDX-License-Identifier: Apache-2.0

// bench/redis/server.h - a redis-server of our own, which writes nothing to disk.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"
#include "score.h"

namespace holdfast::bench::redis {

class Server {
 public:
  // `options` are added to its command line. Throws std::runtime_error when there is no
  // redis-server or it does not start.
  explicit Server(const std::vector<std::string>& options = {});

  int port() const noexcept { return port_; }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

  // Returns a number from INFO, as in info("cpu", "used_cpu_user:").
  double info(const std::string& section, std::string_view field) const;

  double cpu_seconds() const;  // the processor time since the start

  // Returns how often these commands came since the start, including calls by scripts.
  double calls(const std::vector<std::string>& commands) const;

 private:
  int port_ = 0;
  std::optional<Program> program_;
};

// Counts these commands. The server must outlive the meter.
Meter meter_of(const Server& server, std::vector<std::string> commands);

// Clients of a lock send these commands, and scripts never call them.
inline const std::vector<std::string> kFromClients = {
    "evalsha",    "eval",         "script|load",   "subscribe", "unsubscribe",
    "ssubscribe", "sunsubscribe", "cluster|slots", "asking",    "ping"};

}  // namespace holdfast::bench::redis

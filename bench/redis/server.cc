// SPDX-License-Identifier: Apache-2.0

#include "redis/server.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "free_port.h"
#include "redis/connection.h"

namespace holdfast::bench::redis {
namespace {

constexpr int kTries = 5;  // Another process may take the port meanwhile.

bool answers(int port) {
  for (int i = 0; i < 200; ++i) {
    try {
      Connection(port).call({"PING"});
      return true;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  return false;
}

}  // namespace

Server::Server(const std::vector<std::string>& options) {
  for (int i = 0; i < kTries; ++i) {
    port_ = free_port();
    std::vector<std::string> command = {"redis-server",
                                        "--bind",
                                        "127.0.0.1",
                                        "--port",
                                        std::to_string(port_),
                                        "--save",
                                        "",
                                        "--appendonly",
                                        "no",
                                        "--loglevel",
                                        "warning",
                                        "--dir",
                                        "/"};
    command.insert(command.end(), options.begin(), options.end());
    program_.emplace(Program::As::server, command);
    if (answers(port_)) return;
  }
  throw std::runtime_error("redis-server does not start");
}

double Server::info(const std::string& section, std::string_view field) const {
  const Reply reply = Connection(port_).call({"INFO", section});
  const std::string text(reply->str, reply->len);
  const std::size_t at = text.find("\n" + std::string(field));
  if (at == std::string::npos) return 0;
  return std::stod(text.substr(at + field.size() + 1));
}

double Server::cpu_seconds() const {
  return info("cpu", "used_cpu_user:") + info("cpu", "used_cpu_sys:");
}

double Server::calls(const std::vector<std::string>& commands) const {
  double sum = 0;
  for (const std::string& each : commands) {
    sum += info("commandstats", "cmdstat_" + each + ":calls=");
  }
  return sum;
}

Meter meter_of(const Server& server, std::vector<std::string> commands) {
  return {[&server, commands = std::move(commands)] { return server.calls(commands); },
          [&server] { return server.cpu_seconds(); }};
}

}  // namespace holdfast::bench::redis

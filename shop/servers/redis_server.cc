// SPDX-License-Identifier: Apache-2.0

#include "servers/redis_server.h"

#include <filesystem>

namespace holdfast::shop {
namespace {

constexpr const char* kRedisReady = "Ready to accept connections";

// With a file of its changes: without one, a lock is lost in a restart, and Holdfast
// warns. A replica is sent everything at once, not after the usual five seconds.
Child redis_child(std::uint16_t port, const std::string& dir) {
  std::filesystem::create_directories(dir);
  return Child(
      {"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--dir",
       dir, "--save", "", "--appendonly", "yes", "--repl-diskless-sync-delay", "0"},
      dir + "/log");
}

}  // namespace

RunningServer start_redis_server(const std::string& dir) {
  return launched(kRedisReady,
                  [&](std::uint16_t port) { return redis_child(port, dir); });
}

Child start_redis_server_at(std::uint16_t port, const std::string& dir) {
  Child child = redis_child(port, dir);
  child.await(kRedisReady, kServerPatience);
  return child;
}

}  // namespace holdfast::shop

#include "redis/server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "redis/connection.h"

namespace holdfast::bench::redis {
namespace {

constexpr int kTries = 5;  // another process may take the port meanwhile

int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool found =
      bind(fd, any, sizeof address) == 0 && getsockname(fd, any, &size) == 0;
  close(fd);
  if (!found) throw std::runtime_error("no port is free");
  return ntohs(address.sin_port);
}

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

Server::Server() {
  for (int i = 0; i < kTries; ++i) {
    port_ = free_port();
    program_.emplace(std::vector<std::string>{
        "redis-server", "--bind", "127.0.0.1", "--port", std::to_string(port_),
        "--save", "", "--appendonly", "no", "--loglevel", "warning", "--dir", "/"});
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

}  // namespace holdfast::bench::redis

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace holdfast::redis {

void ScriptedConnection::greet() {
  if (hear("SETNAME")) say("+PONG\r\n+OK\r\n");
}

bool ScriptedConnection::hear(std::string_view prefixes) {
  for (;;) {
    const auto at = heard_.find(prefixes);
    if (at != std::string::npos) {
      heard_.erase(0, at + prefixes.size());
      return true;
    }
    char bytes[4096];
    const auto got = recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    heard_.append(bytes, static_cast<std::size_t>(got));
  }
}

void ScriptedConnection::say(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void ScriptedConnection::linger() { hear("\xff never said"); }

ScriptedServer::ScriptedServer(std::function<void(ScriptedConnection&)> script)
    : script_(std::move(script)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, any, size) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, any, &size) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  port_ = ntohs(address.sin_port);
  door_ = std::thread([this] { serve(); });
}

ScriptedServer::~ScriptedServer() {
  shutdown(listener_, SHUT_RDWR);
  door_.join();
  close(listener_);
  {
    base::MutexLock lock(mutex_);
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  for (auto& guest : threads_) guest.join();
}

Endpoint ScriptedServer::endpoint() const {
  Endpoint endpoint;
  endpoint.host = {"127.0.0.1", port_};
  return endpoint;
}

void ScriptedServer::serve() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    base::MutexLock lock(mutex_);
    const auto position = open_.insert(open_.end(), fd);
    threads_.emplace_back([this, fd, position, number = ++connections_] {
      ScriptedConnection connection(fd, number);
      script_(connection);
      base::MutexLock inner(mutex_);
      open_.erase(position);
      close(fd);
    });
  }
}

}  // namespace holdfast::redis

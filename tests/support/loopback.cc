// SPDX-License-Identifier: Apache-2.0

#include "support/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace holdfast::test {
namespace {

constexpr int kYes = 1;

sockaddr_in address_of(std::uint16_t port) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void require(bool good, const std::string& what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

Socket make() { return Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Socket bind_loopback(std::uint16_t port) {
  Socket result = make();
  setsockopt(result.fd(), SOL_SOCKET, SO_REUSEPORT, &kYes, sizeof kYes);
  const sockaddr_in at = address_of(port);
  require(bind(result.fd(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0,
          "bind to port " + std::to_string(port));
  return result;
}

Socket listen_loopback(std::uint16_t port) {
  Socket result = bind_loopback(port);
  require(listen(result.fd(), SOMAXCONN) == 0, "listen");
  return result;
}

Socket connect_loopback(std::uint16_t port) {
  Socket result = make();
  const sockaddr_in at = address_of(port);
  require(connect(result.fd(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0,
          "connect to port " + std::to_string(port));
  setsockopt(result.fd(), IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
  return result;
}

std::uint16_t port_of(const Socket& bound) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  require(getsockname(bound.fd(), reinterpret_cast<sockaddr*>(&at), &size) == 0,
          "getsockname");
  return ntohs(at.sin_port);
}

Socket accept_on(const Socket& listening, int limit_ms) noexcept {
  pollfd knock{listening.fd(), POLLIN, 0};
  if (poll(&knock, 1, limit_ms) <= 0) return Socket();
  Socket result(accept4(listening.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  setsockopt(result.fd(), IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
  return result;
}

}  // namespace holdfast::test

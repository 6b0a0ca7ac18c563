// SPDX-License-Identifier: Apache-2.0

#include "support/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>

namespace holdfast::test {

std::uint16_t free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      fd >= 0 && bind(fd, generic, size) == 0 && getsockname(fd, generic, &size) == 0;
  const int why = errno;
  if (fd >= 0) close(fd);
  if (!bound) throw std::system_error(why, std::generic_category(), "free_port");
  return ntohs(address.sin_port);
}

std::uint16_t fresh_port() {
  static std::set<std::uint16_t> taken;
  for (;;) {
    const std::uint16_t port = free_port();
    if (taken.insert(port).second) return port;
  }
}

}  // namespace holdfast::test

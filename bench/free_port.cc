// SPDX-License-Identifier: Apache-2.0

#include "free_port.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace holdfast::bench {

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

}  // namespace holdfast::bench

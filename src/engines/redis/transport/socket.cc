// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/common_failures.h"
#include "base/resolver.h"
#include "base/time_left.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;

constexpr auto kPerAddress = 2s;

std::string spell_errno(int error) {
  return std::error_code(error, std::generic_category()).message();
}

// Returns zero or the errno.
int finish_connect(int fd, Deadline until) {
  if (!poll_until(fd, POLLOUT, until)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

int try_address(const sockaddr* address, socklen_t size, Deadline until, Socket& out) {
  Socket socket(
      ::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.fd() < 0) return errno;
  int error = connect(socket.fd(), address, size) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR)
    error = finish_connect(socket.fd(), until);
  if (error == 0) out = std::move(socket);
  return error;
}

void tune(int fd) {
  const int on = 1;
  const int idle = 15;  // Seconds of silence before the first probe; a probe follows
                        // every 5 s, three times.
  const int pause = 5;
  const int probes = 3;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof pause);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

Result<Socket> connect_unix(const Endpoint& endpoint, Deadline until) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (endpoint.socket.size() >= sizeof address.sun_path) {
    return base::cannot_reach(endpoint.called(), "the path of the socket is too long");
  }
  std::copy(endpoint.socket.begin(), endpoint.socket.end(), address.sun_path);
  Socket socket;
  const int error = try_address(reinterpret_cast<const sockaddr*>(&address),
                                sizeof address, until, socket);
  if (error != 0) return base::cannot_reach(endpoint.called(), spell_errno(error));
  return socket;
}

Result<Socket> connect_tcp(const Endpoint& endpoint, Deadline until) {
  const auto addresses = base::resolve(endpoint.host.name, endpoint.host.port, until);
  if (!addresses)
    return base::cannot_reach(endpoint.called(), addresses.error().context);

  int error = EHOSTUNREACH;
  for (const base::SocketAddress& each : *addresses) {
    Socket socket;
    const Deadline limit = std::min<Deadline>(until, Clock::now() + kPerAddress);
    error = try_address(each.get(), each.size, limit, socket);
    if (error == 0) {
      tune(socket.fd());
      return socket;
    }
  }
  return base::cannot_reach(endpoint.called(), spell_errno(error));
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

bool poll_until(int fd, short events, Deadline until) noexcept {
  pollfd one{fd, events, 0};
  for (;;) {
    const auto left = base::time_left(until);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec span{seconds.count(), (left - seconds).count()};
    const int ready = ppoll(&one, 1, &span, nullptr);
    if (ready > 0) return true;
    // The next read or write reports the error.
    if (ready < 0 && errno != EINTR) return true;
    if (left == 0ns || (ready == 0 && left < 1h)) return false;
  }
}

Result<Socket> connect_socket(const Endpoint& endpoint, Deadline until) {
  return endpoint.socket.empty() ? connect_tcp(endpoint, until)
                                 : connect_unix(endpoint, until);
}

bool is_momentary(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace holdfast::redis

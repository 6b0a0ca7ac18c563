// SPDX-License-Identifier: Apache-2.0

#include "base/probe.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/common_failures.h"
#include "base/resolver.h"
#include "base/time_left.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

constexpr auto kGreeting = 200ms;  // the time for a server that speaks first
constexpr auto kAnswer = 1s;
constexpr std::string_view kNonsense = "HOLDFAST\r\n\r\n";

class Connection {
 public:
  explicit Connection(int family)
      : fd_(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  ~Connection() {
    if (fd_ >= 0) ::close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Returns zero or the errno.
  int connect(const SocketAddress& to, Time until) {
    if (fd_ < 0) return errno;
    if (::connect(fd_, to.get(), to.size) == 0) return 0;
    if (errno != EINPROGRESS && errno != EINTR) return errno;
    if (!wait(POLLOUT, until)) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }

  // Returns the first bytes that arrive, or nothing if none do or the connection ends.
  std::string hear(Time until) {
    char bytes[64];
    if (!wait(POLLIN, until)) return {};
    const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
    return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
  }

  void say(std::string_view text) {
    (void)!::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }

 private:
  bool wait(short events, Time until) const {
    pollfd one{fd_, events, 0};
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(time_left(until));
      if (left == 0ms) return false;
      const int ready = ::poll(&one, 1, static_cast<int>(left.count()));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return true;  // The next call reports the error.
    }
  }

  const int fd_;
};

enum class Found { unknown, refused, foreign };

Found look_at(const SocketAddress& address, const ServerProbe& server, Time until) {
  Connection connection(address.storage.ss_family);
  const int error = connection.connect(address, until);
  if (error != 0) return error == ECONNREFUSED ? Found::refused : Found::unknown;
  std::string said = connection.hear(std::min(until, Clock::now() + kGreeting));
  if (said.empty()) {
    connection.say(kNonsense);
    said = connection.hear(std::min(until, Clock::now() + kAnswer));
  }
  return server.is_foreign(said) ? Found::foreign : Found::unknown;
}

}  // namespace

Result<void> probe(const std::vector<Host>& hosts, const ServerProbe& server,
                   Time until) {
  if (hosts.empty()) return {};
  std::string foreign;
  for (const Host& host : hosts) {
    const auto addresses = resolve(host.name, host.port, until);
    if (!addresses) return {};
    for (const SocketAddress& each : *addresses) {
      const Found found = look_at(each, server, until);
      if (found == Found::unknown) return {};
      if (found == Found::foreign) foreign = spell(host);
    }
  }
  const std::string name(server.name);
  if (foreign.empty()) {
    return cannot_reach(name + " at " + spell(hosts), "Connection refused");
  }
  return answers_otherwise(foreign, name);
}

}  // namespace holdfast::base

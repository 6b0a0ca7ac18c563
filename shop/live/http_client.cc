// SPDX-License-Identifier: Apache-2.0

#include "live/http_client.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "errors.h"
#include "http/loopback.h"
#include "load/answer.h"

namespace holdfast::shop {

void HttpClient::hang_up() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void HttpClient::connect() {
  fd_ = connect_to_loopback(port_);
  const auto ms = limit_.count();
  const timeval limit{.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

HttpReply HttpClient::get(const std::string& target) {
  if (fd_ < 0) connect();
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: shop\r\n\r\n";
  std::string received;
  if (send(fd_, request.data(), request.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(request.size())) {
    std::array<char, 4096> buffer;
    ssize_t size = 0;
    while ((size = recv(fd_, buffer.data(), buffer.size(), 0)) > 0) {
      received.append(buffer.data(), static_cast<std::size_t>(size));
      const Answer answer = read_answer(received);
      if (answer.broken) break;
      if (answer.length == 0) continue;
      HttpReply reply{.status = answer.status, .body = std::string(answer.body)};
      if (!answer.keep_alive) hang_up();
      return reply;
    }
  }
  hang_up();
  throw Trouble(kUnavailable,
                "127.0.0.1:" + std::to_string(port_) + " does not answer " + target);
}

}  // namespace holdfast::shop

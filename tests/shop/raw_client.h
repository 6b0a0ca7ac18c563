// SPDX-License-Identifier: Apache-2.0

// tests/shop/raw_client.h - a connection to a server on loopback, byte for byte.

#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "support/scale.h"

namespace holdfast::shop {

// A client that sends what it is told, byte for byte.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const auto limit =
        std::chrono::duration_cast<std::chrono::seconds>(test::patience());
    const timeval patience{.tv_sec = limit.count(), .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { close(fd_); }

  void write(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count =
          send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (count <= 0) return;  // The server may have closed it, which is its right.
      done += static_cast<std::size_t>(count);
    }
  }

  // Returns what comes until `text` was seen or the server closes the connection.
  std::string read_until(const std::string& text) {
    std::string all;
    char buffer[4096];
    while (text.empty() || all.find(text) == all.npos) {
      const ssize_t count = recv(fd_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }
  std::string read_to_the_end() { return read_until(""); }

 private:
  const int fd_;
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// tests/support/loopback.h - sockets on 127.0.0.1.

#pragma once

#include <cstdint>
#include <utility>

namespace holdfast::test {

// A Socket owns a descriptor. It is movable; an empty one has -1.
class Socket {
 public:
  explicit Socket(int fd = -1) noexcept : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();

  int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

// These throw std::system_error. Several sockets of one process may be bound to one
// port: one reserves it while another listens on it, or does not.
Socket bind_loopback(std::uint16_t port = 0);  // zero means any
Socket listen_loopback(std::uint16_t port = 0);
Socket connect_loopback(std::uint16_t port);
std::uint16_t port_of(const Socket& bound);

// Returns the next connection, or an empty socket if none came within `limit_ms`.
Socket accept_on(const Socket& listening, int limit_ms = 0) noexcept;

}  // namespace holdfast::test

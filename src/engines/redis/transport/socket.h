// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/socket.h - a connected socket, TCP or unix.

#pragma once

#include <string>
#include <utility>

#include "engines/redis/options.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::redis {

// A Socket closes its descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) noexcept : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();

  int fd() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

// Tries every address of the host, each for 2 s at most; `until` limits the whole call,
// the name resolution included. The socket is non-blocking and closed on exec. A
// failure is base::cannot_reach.
Result<Socket> connect_socket(const Endpoint& endpoint, engine::Deadline until);

// Waits for `events` of poll(2). Returns false if the deadline passed first. With a
// deadline in the past the call only polls.
bool poll_until(int fd, short events, engine::Deadline until) noexcept;

// Returns whether a call on a non-blocking socket failed for the moment only.
bool is_momentary(int error) noexcept;

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/descriptor.h - a file descriptor that is closed once.

#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace holdfast::cli {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void reset() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// Returns the message for a descriptor that the kernel refused, by its error.
inline std::string without_descriptor(const std::string& what, int error) {
  return what + ": " + std::strerror(error) +
         (error == EMFILE ? "; allow more with ulimit -n" : "");
}

// Returns the descriptor that a system call gave. Throws std::runtime_error, "cannot
// WHAT: ...", if it gave none, because a poll(2) on none would wait for ever.
inline Descriptor require(int fd, const std::string& what) {
  if (fd < 0) throw std::runtime_error(without_descriptor("cannot " + what, errno));
  return Descriptor(fd);
}

}  // namespace holdfast::cli

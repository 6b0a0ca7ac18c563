// SPDX-License-Identifier: Apache-2.0

// bench/rivals/flock.h - flock(2) on a file: what shell scripts use.

#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

namespace holdfast::bench {

// The open file owns the lock, so each thread needs an object of its own.
class Flock {
 public:
  explicit Flock(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  Flock(const Flock&) = delete;
  Flock& operator=(const Flock&) = delete;
  ~Flock() { close(fd_); }
  void lock() { flock(fd_, LOCK_EX); }
  void unlock() { flock(fd_, LOCK_UN); }

 private:
  int fd_;
};

}  // namespace holdfast::bench

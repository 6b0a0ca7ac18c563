// SPDX-License-Identifier: Apache-2.0

// bench/rivals/ofd_lock.h - an open file description lock, fcntl(F_OFD_SETLKW).

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace holdfast::bench {

// The open file owns the lock, so each thread needs an object of its own.
class OfdLock {
 public:
  explicit OfdLock(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  OfdLock(const OfdLock&) = delete;
  OfdLock& operator=(const OfdLock&) = delete;
  ~OfdLock() { close(fd_); }
  void lock() { set(F_WRLCK); }
  void unlock() { set(F_UNLCK); }

 private:
  void set(short type) {
    struct flock range = {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_len = 1;
    fcntl(fd_, F_OFD_SETLKW, &range);
  }
  int fd_;
};

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace holdfast::base {
namespace {

constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

bool is_same_file(int a, int b) noexcept {
  struct stat one {};
  struct stat two {};
  return ::fstat(a, &one) == 0 && ::fstat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

}  // namespace

int above_stdio(int fd) noexcept {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(fd);
  errno = error;
  return moved;
}

bool can_open_more() noexcept {
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

int open_again(int fd, const std::string& path) noexcept {
  const int by_path = above_stdio(::open(path.c_str(), kFlags | O_NOFOLLOW));
  if (by_path >= 0 && is_same_file(fd, by_path)) return by_path;
  if (by_path >= 0) ::close(by_path);
  // The path names another file by now, or none.
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return above_stdio(::open(link, kFlags));
}

}  // namespace holdfast::base

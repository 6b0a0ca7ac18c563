// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace holdfast::local {
namespace {

// Reads field 22, counted from behind the program's name, which may contain anything.
std::uint64_t birth_in(const char* path) noexcept {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* at = std::strrchr(text, ')');
  constexpr int kFieldsBetween = 20;
  for (int i = 0; at != nullptr && i < kFieldsBetween; ++i)
    at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

}  // namespace

std::uint64_t own_birth() noexcept { return birth_in("/proc/self/stat"); }

bool is_dying(pid_t pid, std::uint64_t birth,
              std::chrono::milliseconds limit) noexcept {
  if (birth == 0 || pid <= 0) return false;
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return false;
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  // The start time is read after the descriptor was opened: from then on the pid cannot
  // become another process's. The processes of other users may be hidden (hidepid);
  // then the process counts as the same one.
  pollfd ended{pidfd, POLLIN, 0};
  const auto seen = birth_in(path);
  const bool there = (seen == birth || seen == 0) &&
                     ::poll(&ended, 1, static_cast<int>(limit.count())) == 0;
  ::close(pidfd);
  return there;
}

}  // namespace holdfast::local

// SPDX-License-Identifier: Apache-2.0

#include "stores/presence.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "errors.h"

namespace holdfast::shop {

void Presence::enter(Service& service) noexcept {
  ++service.inside;
  const int now = ++inside;
  int seen = most;
  while (now > seen && !most.compare_exchange_weak(seen, now)) {
  }
}

void Presence::leave(Service& service) noexcept {
  --inside;
  --service.inside;
}

// A file that has just been made is full of zeros, which stand for no request.
PresenceFile::PresenceFile(const std::string& path) {
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  void* address = MAP_FAILED;
  if (path.empty()) {
    address =
        mmap(nullptr, sizeof(Presence), kAccess, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  } else {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ftruncate(fd, sizeof(Presence)) == 0) {
      address = mmap(nullptr, sizeof(Presence), kAccess, MAP_SHARED, fd, 0);
    }
    const int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
  }
  if (address == MAP_FAILED) {
    throw Trouble(kCannotCreate, "cannot map " + path + ": " + std::strerror(errno));
  }
  presence_ = static_cast<Presence*>(address);
}

PresenceFile::~PresenceFile() { munmap(presence_, sizeof(Presence)); }

}  // namespace holdfast::shop

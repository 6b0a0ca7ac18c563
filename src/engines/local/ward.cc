#include "engines/local/ward.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "engines/local/guard.h"

namespace holdfast::local {
namespace {

struct flock byte_of(SlotIndex slot) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = (off_t{1} << 40) + slot;
  byte.l_len = 1;
  return byte;
}

}  // namespace

Result<int> open_ward(const Segment& segment, SlotIndex slot) {
  // By way of /proc: the very file that is mapped, whatever its path names by now.
  const std::string file = "/proc/self/fd/" + std::to_string(segment.fd());
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  auto byte = byte_of(slot);
  if (fd < 0 || ::fcntl(fd, F_OFD_SETLK, &byte) != 0) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return Failure(Errc::unavailable, "cannot guard the claims of this process in " +
                                          segment.path() + ": " + std::strerror(error));
  }
  segment.slot(slot).warded.store(1);
  return fd;
}

bool ward_open(const Segment& segment, SlotIndex slot) noexcept {
  if (segment.slot(slot).warded.load() == 0) return false;
  auto byte = byte_of(slot);
  return ::fcntl(segment.fd(), F_OFD_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
}

bool claims_ended(const Segment& segment, SlotIndex slot) noexcept {
  return process_ended(segment, slot) && !ward_open(segment, slot);
}

}  // namespace holdfast::local

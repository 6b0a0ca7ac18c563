// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/liveness_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/descriptor.h"
#include "engines/local/errors.h"
#include "engines/local/memory/guard.h"

namespace holdfast::local {
namespace {

// These bytes lie far behind the end of the file: the first is for presence, the others
// are for liveness descriptors.
constexpr off_t kBytesAt = off_t{1} << 40;

struct flock lock_on(off_t from, off_t bytes, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = from;
  lock.l_len = bytes;
  return lock;
}

struct flock byte_of(SlotIndex slot) {
  return lock_on(kBytesAt + slot, 1, F_WRLCK);
}

Failure cannot_lock(const Segment& segment) {
  const int error = errno;
  return {Errc::unsupported, "cannot lock a byte of " + segment.path() + ": " +
                                 std::strerror(error) +
                                 "; keep it in a file system that has such locks"};
}

}  // namespace

Result<int> open_liveness_fd(const Segment& segment, SlotIndex slot) {
  // This opens the file that is mapped, even if its path names another file by now.
  const int fd = base::open_again(segment.fd(), segment.path());
  auto byte = byte_of(slot);
  if (fd < 0 || ::fcntl(fd, F_OFD_SETLK, &byte) != 0) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return os_failure("guard the claims of this process in", segment.path(), error);
  }
  segment.slot(slot).has_liveness_fd.store(1);
  return fd;
}

bool liveness_fd_open(const Segment& segment, SlotIndex slot) noexcept {
  if (segment.slot(slot).has_liveness_fd.load() == 0) return false;
  auto byte = byte_of(slot);
  return ::fcntl(segment.fd(), F_OFD_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
}

bool claims_of_slot_ended(const Segment& segment, SlotIndex slot) noexcept {
  return process_ended(segment, slot) && !liveness_fd_open(segment, slot);
}

bool claims_ended(const Segment& segment, SessionId session) noexcept {
  const SlotIndex slot = slot_of(session);
  return segment.slot(slot).id.load() != session || claims_of_slot_ended(segment, slot);
}

Result<void> show_presence(const Segment& segment) {
  auto shared = lock_on(kBytesAt, 1, F_RDLCK);
  if (::fcntl(segment.fd(), F_OFD_SETLK, &shared) != 0) return cannot_lock(segment);
  return {};
}

Result<bool> others_present(const Segment& segment) {
  auto all = lock_on(kBytesAt, kSlots, F_WRLCK);
  if (::fcntl(segment.fd(), F_OFD_GETLK, &all) != 0) return cannot_lock(segment);
  return all.l_type != F_UNLCK;
}

}  // namespace holdfast::local

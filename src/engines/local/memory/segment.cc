// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/segment.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engines/local/errors.h"
#include "engines/local/memory/segment_file.h"

namespace holdfast::local {
namespace {

// A name is read up to the end of its block. Another user of the file may have put a
// record at its very end: reading on then leaves the file (SIGBUS), but never reaches
// other memory of this process.
constexpr std::size_t kMappedBytes = kMaxBytes + 4096;

}  // namespace

Result<std::shared_ptr<Segment>> Segment::open(const Options& options) {
  const auto file = open_segment_file(options);
  if (!file) return file.error();
  void* base = ::mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, *file, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    ::close(*file);
    return os_failure("map", options.path, error);
  }
  return std::shared_ptr<Segment>(
      new Segment(options.path, *file, static_cast<char*>(base)));
}

Segment::Segment(std::string path, int fd, char* base) noexcept
    : path_(std::move(path)), fd_(fd), base_(base) {}

Segment::~Segment() {
  ::munmap(base_, kMappedBytes);
  ::close(fd_);
}

std::size_t Segment::look_at_size() const noexcept {
  struct stat st {};
  if (::fstat(fd_, &st) != 0) return 0;
  const auto bytes = std::min(static_cast<std::size_t>(st.st_size), kMaxBytes);
  limit_.store(bytes / kUnitBytes, std::memory_order_relaxed);
  return bytes / kUnitBytes;
}

char* Segment::nothing() const noexcept {
  damaged_.store(true, std::memory_order_relaxed);
  nothing_.fill(0);  // Earlier stores may have left bytes here.
  return nothing_.data();
}

Failure Segment::why_damaged() const { return refuse(path_, "is damaged"); }

bool Segment::is_deleted() const noexcept {
  struct stat st {};
  return ::fstat(fd_, &st) == 0 && st.st_nlink == 0;
}

Result<void> Segment::grow() {
  const std::size_t now = std::size_t{header().units.load()} * kUnitBytes;
  const std::size_t step = std::clamp<std::size_t>(now / 8, 64 << 10, 16 << 20);
  const std::size_t then = std::min(now + step / 4096 * 4096, kMaxBytes);
  if (then == now)
    return Failure(Errc::full, path_ +
                                   " has reached its largest size, 1 GiB: `holdfast "
                                   "gc` removes names that are not in use");
  if (const int rc = reserve(fd_, now, then); rc != 0)
    return os_failure("grow", path_, rc);
  header().units.store(static_cast<BlockIndex>(then / kUnitBytes));
  return {};
}

}  // namespace holdfast::local

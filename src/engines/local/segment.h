// engines/local/segment.h - the mapped file that the processes of one host share.
//
// Opening checks before it trusts: a regular file of ours, mode 0600, whole, with our
// magic and version. Anything else is left untouched and explained. A new segment is
// made aside and linked in when it is complete, so nobody sees half of one.

#pragma once

#include <array>
#include <memory>
#include <string>

#include "engines/local/layout.h"
#include "holdfast/result.h"

namespace holdfast::local {

// Safe for concurrent use. The mapping has room for the largest segment from the start,
// so that growing moves nothing.
class Segment {
 public:
  static Result<std::shared_ptr<Segment>> open(const std::string& path);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Header& header() const noexcept { return *reinterpret_cast<Header*>(base_); }
  Slot& slot(SlotIndex i) const noexcept {
    return *reinterpret_cast<Slot*>(base_ + kSlotsAt + i * kUnitBytes);
  }
  Shared<Unit>& bucket(std::uint32_t hash) const noexcept {
    return reinterpret_cast<Shared<Unit>*>(base_ + kBucketsAt)[hash % kBuckets];
  }
  template <class T>
  T& at(Unit unit) const noexcept {
    return *reinterpret_cast<T*>(base_ + std::size_t{unit} * kUnitBytes);
  }

  // Room for more blocks, or Errc::full. Under the header's guard.
  Result<void> grow();

  // Whether the file has no name any more, so that newcomers make another one.
  bool is_deleted() const noexcept;

  int fd() const noexcept { return fd_; }
  const std::string& path() const noexcept { return path_; }

 private:
  Segment(std::string path, int fd, char* base) noexcept;

  std::string path_;
  int fd_;
  char* base_;
};

// The kernel's name for the time since the host was started. If it cannot be read, that
// is an error and not another boot.
using BootId = std::array<char, 40>;
inline constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
Result<BootId> boot_id();

}  // namespace holdfast::local

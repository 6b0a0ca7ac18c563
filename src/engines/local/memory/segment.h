// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/segment.h - the mapped file that the processes of one host
// share.

#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "engines/local/memory/layout.h"
#include "engines/local/options.h"
#include "holdfast/result.h"

namespace holdfast::local {

// The class is safe for concurrent use. The mapping has room for the largest segment
// from the start, so that growing moves nothing.
//
// Data from the file is only trusted as far as it can do no harm: an index that leads
// out of the file gives a block of zeros, and `damaged()` is true from then on.
class Segment {
 public:
  static Result<std::shared_ptr<Segment>> open(const Options& options);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Header& header() const noexcept { return *reinterpret_cast<Header*>(base_); }
  Slot& slot(SlotIndex i) const noexcept {
    return *reinterpret_cast<Slot*>(base_ + kSlotsAt + slot_of(i) * kUnitBytes);
  }
  Shared<BlockIndex>& bucket(std::uint32_t hash) const noexcept {
    return reinterpret_cast<Shared<BlockIndex>*>(base_ + kBucketsAt)[hash % kBuckets];
  }
  template <class T>
  T& at(BlockIndex index) const noexcept {
    constexpr std::size_t kUnits = (sizeof(T) + kUnitBytes - 1) / kUnitBytes;
    char* const bytes =
        holds(index, kUnits) ? base_ + std::size_t{index} * kUnitBytes : nothing();
    return *reinterpret_cast<T*>(bytes);
  }

  // Works as `at` for an index that is known to be in the file, which never shrinks.
  template <class T>
  T& known(BlockIndex index) const noexcept {
    return *reinterpret_cast<T*>(base_ + std::size_t{index} * kUnitBytes);
  }

  // Returns whether `units` units from `index` on are in the file.
  bool holds(BlockIndex index, std::size_t units) const noexcept {
    return index + units <= limit_.load(std::memory_order_relaxed) ||
           index + units <= look_at_size();
  }

  bool damaged() const noexcept { return damaged_.load(std::memory_order_relaxed); }
  Failure why_damaged() const;

  // Makes room for more blocks, or returns Errc::full. REQUIRES: the header's guard.
  Result<void> grow();

  // Returns whether the file has been deleted, so that new sessions create another one.
  bool is_deleted() const noexcept;

  int fd() const noexcept { return fd_; }
  const std::string& path() const noexcept { return path_; }

 private:
  Segment(std::string path, int fd, char* base) noexcept;
  std::size_t look_at_size() const noexcept;
  char* nothing() const noexcept;

  std::string path_;
  int fd_;
  char* base_;
  mutable std::atomic<std::size_t> limit_{0};  // units in the file at the last check
  mutable std::atomic<bool> damaged_{false};
  alignas(kUnitBytes) mutable std::array<char, 10 * kUnitBytes> nothing_{};
};

}  // namespace holdfast::local

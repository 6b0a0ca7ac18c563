// SPDX-License-Identifier: Apache-2.0

// tests/faults/segment_map.h - a segment's bytes, for changes that no call makes.

#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "engines/local/memory/layout.h"

namespace holdfast::test {

class SegmentMap {
 public:
  explicit SegmentMap(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* base =
        mmap(nullptr, local::kMaxBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (base == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    base_ = static_cast<char*>(base);
  }
  SegmentMap(const SegmentMap&) = delete;
  SegmentMap& operator=(const SegmentMap&) = delete;
  ~SegmentMap() { munmap(base_, local::kMaxBytes); }

  local::Header& header() const { return *reinterpret_cast<local::Header*>(base_); }
  local::Slot& slot(int i) const {
    return *reinterpret_cast<local::Slot*>(base_ + local::kSlotsAt +
                                           i * local::kUnitBytes);
  }
  template <class T>
  T& at(local::BlockIndex index) const {
    return *reinterpret_cast<T*>(base_ + index * local::kUnitBytes);
  }

  local::Shared<local::BlockIndex>& bucket(local::BlockIndex i) const {
    return reinterpret_cast<local::Shared<local::BlockIndex>*>(base_ +
                                                               local::kBucketsAt)[i];
  }

  template <class F>
  void each(F&& visit) const {
    for (local::BlockIndex index = local::kFirstBlock; index < header().used.load();) {
      auto& block = at<local::Block>(index);
      index += local::units_of(block.shape.load());
      visit(block);
    }
  }

  local::Record& record(std::string_view name) const {
    for (local::BlockIndex index = local::kFirstBlock; index < header().used.load();) {
      auto& block = at<local::Block>(index);
      auto& record = at<local::Record>(index);
      if (is_record(block.shape.load()) && block.live.load() != 0 &&
          std::string_view(record.name, record.name_bytes) == name) {
        return record;
      }
      index += local::units_of(block.shape.load());
    }
    throw std::runtime_error("no record");
  }

 private:
  char* base_ = nullptr;
};

}  // namespace holdfast::test

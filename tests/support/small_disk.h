// SPDX-License-Identifier: Apache-2.0

// tests/support/small_disk.h - a small file system, to test a full disk.
//
//   const SmallDisk disk("2m");
//   if (!disk) GTEST_SKIP() << "cannot mount: " << std::strerror(errno);

#pragma once

#include <sys/mount.h>

#include <string>

#include "support/temp_dir.h"

namespace holdfast::test {

// This is a file system of the given size. It is false if the test may not mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size)
      : mounted_(mount("tmpfs", dir_.path().c_str(), "tmpfs", 0,
                       ("size=" + size).c_str()) == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) umount2(dir_.path().c_str(), MNT_DETACH);
  }
  explicit operator bool() const noexcept { return mounted_; }
  std::string file(const char* name) const { return dir_.file(name); }

 private:
  TempDir dir_;
  bool mounted_;
};

}  // namespace holdfast::test

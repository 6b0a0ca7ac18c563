// SPDX-License-Identifier: Apache-2.0

// shop/servers/temp_dir.h - a folder that only its owner can read, and that is removed.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "errors.h"

namespace holdfast::shop {

class TempDir {
 public:
  TempDir() {
    std::error_code error;
    path_ = std::filesystem::temp_directory_path(error) / "holdfast-shop-XXXXXX";
    if (error || mkdtemp(path_.data()) == nullptr) {
      throw Trouble(
          kCannotCreate,
          "no room for the shop: set TMPDIR to a directory that can be written");
    }
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace holdfast::shop

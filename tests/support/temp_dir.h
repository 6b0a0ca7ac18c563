// SPDX-License-Identifier: Apache-2.0

// tests/support/temp_dir.h - a folder that is removed when the test is over.

#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const noexcept { return path_; }
  // Returns the path; nothing is created.
  std::string file(std::string_view name) const;

  // What is in that file, or the last lines of it, as of a log; empty if there is none.
  std::string contents(std::string_view name) const;
  std::string end_of(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "support/temp_dir.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace holdfast::test {

TempDir::TempDir()
    : path_((std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + path_);
  }
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::file(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::string TempDir::contents(std::string_view name) const {
  std::ifstream in(file(name));
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string TempDir::end_of(std::string_view name) const {
  constexpr std::size_t kEnough = 2000;
  const std::string all = contents(name);
  return all.substr(all.size() - std::min(all.size(), kEnough));
}

}  // namespace holdfast::test

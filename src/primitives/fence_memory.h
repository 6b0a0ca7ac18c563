// SPDX-License-Identifier: Apache-2.0

// primitives/fence_memory.h - stores the highest token that a fence has seen.

#pragma once

#include <memory>
#include <string>

#include "holdfast/fence.h"

namespace holdfast::inline v0 {

// `shut()` locks the memory until the object that it returns is destroyed. Until then
// no other thread or process can recall or remember a token.
class Fence::Memory {
 public:
  virtual ~Memory() = default;

  virtual Result<std::shared_ptr<void>> shut() = 0;

  // REQUIRES: the caller has locked the memory with `shut()`.
  virtual Result<FencingToken> recall() = 0;
  virtual Result<void> remember(FencingToken token) = 0;

  static std::unique_ptr<Memory> in_process();
  static Result<std::unique_ptr<Memory>> in_file(const std::string& path);

 private:
  class InProcess;
  class InFile;
};

}  // namespace holdfast::inline v0

// primitives/fence_memory.h - what a fence remembers, and where.

#pragma once

#include <memory>
#include <string>

#include "holdfast/fence.h"

namespace holdfast::inline v0 {

// Nothing else may look or remember between `shut()` and the end of what it returns.
class Fence::Memory {
 public:
  virtual ~Memory() = default;

  virtual Result<std::shared_ptr<void>> shut() = 0;

  // REQUIRES: shut
  virtual Result<FencingToken> recall() = 0;
  virtual Result<void> remember(FencingToken token) = 0;

  static std::unique_ptr<Memory> in_process();
  static Result<std::unique_ptr<Memory>> in_file(const std::string& path);

 private:
  class InProcess;
  class InFile;
};

}  // namespace holdfast::inline v0

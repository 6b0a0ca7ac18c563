// SPDX-License-Identifier: Apache-2.0

#include "primitives/fence_memory.h"

#include <mutex>

namespace holdfast::inline v0 {

class Fence::Memory::InProcess final : public Memory {
 public:
  Result<std::shared_ptr<void>> shut() override {
    return std::shared_ptr<void>(
        std::make_shared<std::unique_lock<std::mutex>>(mutex_));
  }
  Result<FencingToken> recall() override { return highest_; }
  Result<void> remember(FencingToken token) override {
    highest_ = token;
    return {};
  }

 private:
  std::mutex mutex_;
  FencingToken highest_;
};

std::unique_ptr<Fence::Memory> Fence::Memory::in_process() {
  return std::make_unique<InProcess>();
}

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include "primitives/token_store.h"

#include <mutex>

namespace holdfast::inline v0 {

class Fence::TokenStore::InProcess final : public TokenStore {
 public:
  std::string called() const override { return "the fence"; }

  Result<std::shared_ptr<void>> lock() override {
    return std::shared_ptr<void>(
        std::make_shared<std::unique_lock<std::mutex>>(mutex_));
  }
  Result<FencingToken> load() override { return highest_; }
  Result<void> store(FencingToken token) override {
    highest_ = token;
    return {};
  }

 private:
  std::mutex mutex_;
  FencingToken highest_;
};

std::unique_ptr<Fence::TokenStore> Fence::TokenStore::in_process() {
  return std::make_unique<InProcess>();
}

}  // namespace holdfast::inline v0

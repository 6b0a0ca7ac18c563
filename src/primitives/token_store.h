// SPDX-License-Identifier: Apache-2.0

// primitives/token_store.h - stores the highest token that a fence has seen.

#pragma once

#include <memory>
#include <string>

#include "holdfast/fence.h"

namespace holdfast::inline v0 {

// `lock()` locks the store until the object that it returns is destroyed. Until then
// no other thread or process can load or store a token.
class Fence::TokenStore {
 public:
  virtual ~TokenStore() = default;

  // Returns how messages name the fence.
  virtual std::string called() const = 0;

  virtual Result<std::shared_ptr<void>> lock() = 0;

  // REQUIRES: the caller has locked the store with `lock()`.
  virtual Result<FencingToken> load() = 0;
  virtual Result<void> store(FencingToken token) = 0;

  static std::unique_ptr<TokenStore> in_process();
  static Result<std::unique_ptr<TokenStore>> in_file(const std::string& path);

 private:
  class InProcess;
  class InFile;
};

}  // namespace holdfast::inline v0

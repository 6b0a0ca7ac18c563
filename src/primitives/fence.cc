// SPDX-License-Identifier: Apache-2.0

#include "holdfast/fence.h"

#include <utility>

#include "base/common_failures.h"
#include "primitives/token_store.h"

namespace holdfast::inline v0 {

Fence::Fence() : store_(TokenStore::in_process()) {}
Fence::Fence(std::unique_ptr<TokenStore> store) noexcept : store_(std::move(store)) {}
Fence::Fence(Fence&&) noexcept = default;
Fence& Fence::operator=(Fence&&) noexcept = default;
Fence::~Fence() = default;

Result<Fence> Fence::in_file(const std::string& path) {
  auto store = TokenStore::in_file(path);
  if (!store) return std::move(store).error();
  return Fence(*std::move(store));
}

Result<std::shared_ptr<void>> Fence::begin(FencingToken token) {
  if (!token) return base::empty_token(store_->called());
  auto turn = store_->lock();
  if (!turn) return turn;
  const auto highest = store_->load();
  if (!highest) return highest.error();
  if (token < *highest) return base::stale_token(store_->called(), token, *highest);
  if (token > *highest) {
    if (auto done = store_->store(token); !done) return std::move(done).error();
  }
  return turn;
}

Result<void> Fence::admit(FencingToken token) {
  auto turn = begin(token);
  if (!turn) return std::move(turn).error();
  return {};
}

Result<void> Fence::admit_shared(FencingToken token) {
  if (!token) return base::empty_token(store_->called());
  const auto turn = store_->lock();
  if (!turn) return turn.error();
  const auto highest = store_->load();
  if (!highest) return highest.error();
  if (token < *highest) return base::stale_token(store_->called(), token, *highest);
  return {};
}

Result<FencingToken> Fence::highest() const {
  const auto turn = store_->lock();
  if (!turn) return turn.error();
  return store_->load();
}

}  // namespace holdfast::inline v0

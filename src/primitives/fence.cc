// SPDX-License-Identifier: Apache-2.0

#include "holdfast/fence.h"

#include <utility>

#include "base/common_failures.h"
#include "primitives/fence_memory.h"

namespace holdfast::inline v0 {

Fence::Fence() : memory_(Memory::in_process()) {}
Fence::Fence(std::unique_ptr<Memory> memory) noexcept : memory_(std::move(memory)) {}
Fence::Fence(Fence&&) noexcept = default;
Fence& Fence::operator=(Fence&&) noexcept = default;
Fence::~Fence() = default;

Result<Fence> Fence::in_file(const std::string& path) {
  auto memory = Memory::in_file(path);
  if (!memory) return std::move(memory).error();
  return Fence(*std::move(memory));
}

Result<std::shared_ptr<void>> Fence::begin(FencingToken token) {
  if (!token) return base::empty_token();
  auto turn = memory_->shut();
  if (!turn) return turn;
  const auto highest = memory_->recall();
  if (!highest) return highest.error();
  if (token < *highest) return base::stale_token(token, *highest);
  if (token > *highest) {
    if (auto done = memory_->remember(token); !done) return std::move(done).error();
  }
  return turn;
}

Result<void> Fence::admit(FencingToken token) {
  auto turn = begin(token);
  if (!turn) return std::move(turn).error();
  return {};
}

Result<void> Fence::admit_shared(FencingToken token) {
  if (!token) return base::empty_token();
  const auto turn = memory_->shut();
  if (!turn) return turn.error();
  const auto highest = memory_->recall();
  if (!highest) return highest.error();
  if (token < *highest) return base::stale_token(token, *highest);
  return {};
}

FencingToken Fence::highest() const noexcept {
  const auto turn = memory_->shut();
  if (!turn) return {};
  const auto token = memory_->recall();
  return token ? *token : FencingToken{};
}

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/lock_reason.h"

namespace holdfast::inline v0 {
namespace {

thread_local const LockReason* this_threads = nullptr;

}  // namespace

LockReason::LockReason(std::string_view description, const char* function,
                       const char* file, unsigned line) noexcept
    : description_(description),
      function_(function),
      file_(file),
      line_(line),
      outer_(this_threads) {
  this_threads = this;
}

LockReason::~LockReason() { this_threads = outer_; }

const LockReason* LockReason::innermost() noexcept { return this_threads; }

}  // namespace holdfast::inline v0

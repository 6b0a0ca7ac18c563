// SPDX-License-Identifier: Apache-2.0

// tests/conformance/with_hold.h - an Exclusive over a primitive that gives holds.

#pragma once

#include <optional>
#include <utility>

#include "conformance/exclusive.h"
#include "conformance/forms.h"

namespace holdfast::test {

inline FencingToken token_of(const holdfast::Hold& hold) { return hold.token(); }
inline FencingToken token_of(const holdfast::MultiHold& hold) {
  return hold.holds().front().token();
}

// The primitive's `acquire` returns a hold.
template <class Primitive, class Held>
class WithHold : public Exclusive {
 public:
  template <class... Args>
  explicit WithHold(Args&&... args) : primitive_(std::forward<Args>(args)...) {}

  Result<FencingToken> acquire(WaitOptions options) override {
    auto got = primitive_.acquire(options);
    if (!got) return got.error();
    hold_.emplace(std::move(*got));
    return token_of(*hold_);
  }

  Result<void> release() override {
    Held hold = std::move(hold_.value());
    hold_.reset();
    return hold.release();
  }

  bool valid() const override { return hold_ && hold_->valid(); }

 private:
  Primitive primitive_;
  std::optional<Held> hold_;
};

}  // namespace holdfast::test

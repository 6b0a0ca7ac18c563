// SPDX-License-Identifier: Apache-2.0

// base/secret.h - a text that is never printed.

#pragma once

#include <string>
#include <utility>

namespace holdfast::base {

// The class has no stream operator and no conversion: only `reveal()` returns the text,
// so every use can be found.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  bool empty() const noexcept { return text_.empty(); }
  const std::string& reveal() const noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace holdfast::base

// base/secret.h - a word that never prints.

#pragma once

#include <string>
#include <utility>

namespace holdfast::base {

// Has no stream operator and no conversion: only `reveal()` gives it away, so every use
// can be found.
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

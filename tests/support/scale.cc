// SPDX-License-Identifier: Apache-2.0

#include "support/scale.h"

#include <cstdlib>

namespace holdfast::test {

double scale() noexcept {
  static const double value = [] {
    const char* text = std::getenv("HOLDFAST_TEST_SCALE");
    const double parsed = text != nullptr ? std::strtod(text, nullptr) : 1.0;
    return parsed > 0 ? parsed : 1.0;
  }();
  return value;
}

}  // namespace holdfast::test

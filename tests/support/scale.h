// SPDX-License-Identifier: Apache-2.0

// tests/support/scale.h - stretches every time in a test for slow machines.
//
//   mutex.acquire({.wait = scaled(100ms)});
//
// HOLDFAST_TEST_SCALE is a number, 1 by default; sanitizer builds set more.

#pragma once

#include <chrono>

namespace holdfast::test {

double scale() noexcept;

inline std::chrono::milliseconds scaled(std::chrono::milliseconds plain) noexcept {
  return std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(
      static_cast<double>(plain.count()) * scale()));
}

// Returns how long a test waits for an event before it counts as a failure.
inline std::chrono::milliseconds patience() noexcept {
  return scaled(std::chrono::seconds(20));
}

}  // namespace holdfast::test

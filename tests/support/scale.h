// tests/support/scale.h - every time in a test, stretched for slow machines.
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

// How long a test waits for what must happen before it calls it a failure.
inline std::chrono::milliseconds patience() noexcept {
  return scaled(std::chrono::seconds(20));
}

}  // namespace holdfast::test

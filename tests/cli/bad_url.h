// SPDX-License-Identifier: Apache-2.0

// tests/cli/bad_url.h - URLs with mistakes. Each engine has a table of them:
//
//   INSTANTIATE_TEST_SUITE_P(Etcd, BadUrlTest, testing::Values(
//       BadUrl{"etcd://127.0.0.1?color=red", 78, "color"}));

#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace holdfast::test {

// The password of all tests. It must never appear in any output.
inline constexpr const char* kCanary = "c4n4ry";

struct BadUrl {
  std::string url;
  int code;
  std::string says;
};
inline void PrintTo(const BadUrl& bad, std::ostream* out) { *out << bad.url; }

class BadUrlTest : public testing::TestWithParam<BadUrl> {};

}  // namespace holdfast::test

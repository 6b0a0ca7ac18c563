// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/grant_times.h"

#include <gtest/gtest.h>

namespace holdfast::etcd {
namespace {

using namespace std::chrono_literals;

wire::RangeResponse with(const std::string& key, const std::string& value) {
  wire::RangeResponse answer;
  auto& kv = *answer.add_kvs();
  kv.set_key(key);
  kv.set_value(value);
  return answer;
}

TEST(GrantTimes, AreFoundByTheRevisionOfTheClaim) {
  const GrantTimes times("/app/", "/app/stock%2F1001");
  EXPECT_EQ(times.key_of(0x2af), "/app/%marks/since/stock%2F1001/00000000000002af");
  const auto read =
      times.read(with(times.key_of(0x2af), GrantTimes::text_of(Clock::now() - 90s)));
  ASSERT_TRUE(read.contains(0x2af));
  const auto age = std::chrono::system_clock::now() - read.at(0x2af);
  EXPECT_GE(age, 90s);
  EXPECT_LT(age, 100s);
}

TEST(GrantTimes, AreInTheOrderOfTheClaims) {
  const GrantTimes times("", "a");
  EXPECT_LT(times.key_of(0xf), times.key_of(0x10));
  EXPECT_LT(times.key_of(0x10), times.key_of(INT64_MAX));
}

TEST(GrantTimes, ThatCannotBeReadAreLeftOut) {
  const GrantTimes times("", "a");
  EXPECT_TRUE(times.read(with(times.key_of(1), "")).empty());
  EXPECT_TRUE(times.read(with(times.key_of(1), "soon")).empty());
  EXPECT_TRUE(times.read(with(times.key_of(1), "12 ")).empty());
  EXPECT_TRUE(times.read(with("%marks/since/a/b/0000000000000001", "12")).empty());
  EXPECT_TRUE(times.read(with("%marks/since/a/", "12")).empty());
}

}  // namespace
}  // namespace holdfast::etcd

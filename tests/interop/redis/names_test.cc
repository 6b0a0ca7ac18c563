// SPDX-License-Identifier: Apache-2.0

// Whatever a name looks like, both sides mean the same lock by it and wake each other.

#include <future>
#include <string>
#include <vector>

#include "holdfast/engine/session.h"
#include "interop/redis/redis_interop.h"

namespace holdfast::test {
namespace {

class Names : public Interop, public testing::WithParamInterface<std::string> {};

TEST_P(Names, MeanTheSameLock) {
  const std::string lock = GetParam();
  const auto ours = make_ours("RLock", open("RLock"), lock);
  ASSERT_EQ(peer().ask("t", "lock", "RFencedLock", lock, 0, -1).said, "ok");
  EXPECT_EQ(code_of(ours->acquire({.wait = std::chrono::milliseconds(0)})),
            Errc::timed_out);
  auto granted = std::async(std::launch::async, [&] {
    return ours->acquire({.wait = scaled(std::chrono::seconds(5))});
  });
  peer().ask("t", "unlock", "RFencedLock", lock);
  const auto token = granted.get();
  ASSERT_TRUE(token) << token.error().message();
  EXPECT_EQ(peer().ask("t", "lock", "RLock", lock, 0, -1).said, "timeout");
  ours->release().value();
  EXPECT_EQ(peer().ask("t", "lock", "RLock", lock, 0, -1).said, "ok");
  peer().ask("t", "unlock", "RLock", lock);
}

using Strings = std::vector<std::string>;

// In a cluster, the braces of these names put their keys and channels into several
// slots.
const Strings kOddBraces = {"open{brace", "close}brace", "{}"};

Strings usable() {
  Strings all = {"plain",      "with spaces", "a/b:c",
                 "{tag}/rest", "ключ-鍵-🔑",   std::string(500, 'n')};
  if (!in_cluster()) all.insert(all.end(), kOddBraces.begin(), kOddBraces.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Names, testing::ValuesIn(usable()));

class OddBraces : public Interop, public testing::WithParamInterface<std::string> {};

// Redisson takes such a lock, which is one key, and then cannot release it.
TEST_P(OddBraces, AreRefused) {
  const std::string lock = GetParam();
  const auto ours = open("RLock").session().bind(address_of("RLock", lock));
  ASSERT_FALSE(ours);
  EXPECT_EQ(ours.error().code, Errc::bad_argument) << ours.error().message();
  EXPECT_EQ(peer().ask("t", "lock", "RLock", lock, 0, 1000).said, "ok");
  EXPECT_EQ(peer().ask("t", "unlock", "RLock", lock).said, "error");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OddBraces);  // of one server
INSTANTIATE_TEST_SUITE_P(, OddBraces,
                         testing::ValuesIn(in_cluster() ? kOddBraces : Strings{}));

}  // namespace
}  // namespace holdfast::test

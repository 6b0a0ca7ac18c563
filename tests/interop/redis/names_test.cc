// SPDX-License-Identifier: Apache-2.0

// Whatever a name looks like, both sides mean the same lock by it and wake each other.

#include <future>

#include "interop/interop.h"

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

INSTANTIATE_TEST_SUITE_P(, Names,
                         testing::Values("plain", "with spaces", "a/b:c", "{tag}/rest",
                                         "open{brace", "close}brace", "{}", "ключ-鍵-🔑",
                                         std::string(500, 'n')));

}  // namespace
}  // namespace holdfast::test

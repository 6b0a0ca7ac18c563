// SPDX-License-Identifier: Apache-2.0

// Children of fork() in a process whose threads are busy.

#include <gtest/gtest.h>

#include "faults/redis/ground.h"
#include "support/sanitizers.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

class RedisForks : public OnRedis {};

// What the parent's threads had locked at the moment of the fork stays locked in the
// child: it must not need any of it.
TEST_F(RedisForks, AChildWorksWithAClientOfItsOwn) {
  if (kThreadSanitizer) {
    GTEST_SKIP() << "ThreadSanitizer ends a child that was forked from several threads";
  }
  if (kAddressSanitizer) {
    GTEST_SKIP() << "AddressSanitizer leaves its own heap locked in such a child";
  }
  constexpr int kChildren = 40;
  Victim parent(server_.url());
  EXPECT_EQ(parent.ask("children " + server_.url() + " " + std::to_string(kChildren),
                       3 * patience()),
            "ok " + std::to_string(kChildren));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A client in Java gets in while several of ours want the lock all the time, and hand
// it over to each other.

#include <atomic>
#include <thread>
#include <vector>

#include "interop/interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Starvation : public InteropOfKind {
 protected:
  const std::string java{GetParam()};
  const std::string lock = name("lock");

  // Wants the lock again and again.
  void insist(const std::atomic<bool>& done, std::atomic<long>& grants) {
    const auto ours = make_ours(java, open(java), lock);
    while (!done) {
      const auto token = ours->acquire({.wait = patience()});
      ASSERT_TRUE(token) << token.error().message();
      ++grants;
      ASSERT_TRUE(ours->release());
    }
  }
};

TEST_P(Starvation, NeitherSideSuffersIt) {
  constexpr int kTimes = 20;
  prepare(java, lock);
  std::atomic<bool> done{false};
  std::atomic<long> grants{0};
  std::vector<std::jthread> ours;
  for (int i = 0; i < 4; ++i) ours.emplace_back([&] { insist(done, grants); });
  EXPECT_TRUE(eventually([&] { return grants > 0; }));
  for (int i = 0; i < kTimes; ++i) {
    const Answer locked = peer().ask("java", "lock", java, lock, -1, -1);
    EXPECT_EQ(locked.said, "ok") << locked.value << " after " << i;
    if (locked.said != "ok") break;
    EXPECT_EQ(peer().ask("java", "unlock", java, lock).said, "ok");
  }
  done = true;
  ours.clear();
  EXPECT_GT(grants, kTimes);
}

INSTANTIATE_TEST_SUITE_P(, Starvation, testing::Values("RLock", "RFencedLock"),
                         kind_name);

}  // namespace
}  // namespace holdfast::test

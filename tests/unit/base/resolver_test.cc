// SPDX-License-Identifier: Apache-2.0

#include "base/resolver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fork_epoch.h"
#include "support/eventually.h"
#include "support/scale.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;

Clock::time_point in_good_time() { return Clock::now() + test::patience(); }

// A resolver that answers for "slow.test" when it is told to, and otherwise as usual.
struct SlowResolver {
  SlowResolver() {
    asked = 0;
    answered = 0;
    open.store(false);
    resolve_with([](const char* host, const char* port, const addrinfo* hints,
                    addrinfo** found) {
      const bool slow = std::string_view(host) == "slow.test";
      if (slow) {
        ++asked;
        open.wait(false);
        host = "127.0.0.1";
      }
      const int failed = getaddrinfo(host, port, hints, found);
      if (slow) ++answered;
      return failed;
    });
  }
  ~SlowResolver() {
    answer();
    EXPECT_TRUE(eventually([] { return answered == asked; }));
    resolve_with(nullptr);
  }
  static void answer() {
    open.store(true);
    open.notify_all();
  }

  static inline std::atomic<int> asked{0};
  static inline std::atomic<int> answered{0};
  static inline std::atomic<bool> open{false};
};

TEST(ResolverTest, AnAddressIsNotLookedUp) {
  for (const std::string host : {"127.0.0.1", "::1"}) {
    const auto addresses = resolve(host, 6379, Clock::time_point::min());
    ASSERT_TRUE(addresses) << addresses.error().message();
    ASSERT_EQ(addresses->size(), 1u);
    EXPECT_EQ(addresses->front().get()->sa_family, host == "::1" ? AF_INET6 : AF_INET);
  }
}

TEST(ResolverTest, ANameIsLookedUp) {
  const auto addresses = resolve("localhost", 1, in_good_time());
  ASSERT_TRUE(addresses) << addresses.error().message();
  EXPECT_FALSE(addresses->empty());
}

TEST(ResolverTest, AnUnknownNameIsAnError) {
  const auto addresses = resolve("no such name", 1, in_good_time());
  ASSERT_FALSE(addresses);
  EXPECT_EQ(addresses.error().code, Errc::unavailable);
}

TEST(ResolverTest, AStuckLookupBlocksItsCallerUntilTheDeadline) {
  const SlowResolver resolver;
  const auto start = Clock::now();
  const auto late = resolve("slow.test", 1, start + 50ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::unavailable);
  EXPECT_GE(Clock::now() - start, 50ms);
  EXPECT_LT(Clock::now() - start, scaled(5s));
  EXPECT_TRUE(resolve("localhost", 1, in_good_time()))
      << "other lookups are blocked, too";
}

TEST(ResolverTest, CallersShareOneThread) {
  const SlowResolver resolver;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(resolve("slow.test", 1, Clock::now() + 5ms));
  EXPECT_TRUE(eventually([] { return SlowResolver::asked == 1; }));
  std::optional<Result<Addresses>> found;
  {
    const std::jthread caller([&] { found = resolve("slow.test", 1, in_good_time()); });
    SlowResolver::answer();
  }
  EXPECT_TRUE(*found) << found->error().message();
}

TEST(ForkEpochTest, AChildDoesNotWaitForAResolverOfItsParent) {
  const SlowResolver resolver;
  EXPECT_FALSE(resolve("slow.test", 1, Clock::now() + 5ms));
  EXPECT_TRUE(eventually([] { return SlowResolver::asked == 1; }));
  enter_child();  // what happens after a fork
  EXPECT_FALSE(resolve("slow.test", 1, Clock::now() + 5ms));
  EXPECT_TRUE(eventually([] { return SlowResolver::asked == 2; }));
}

}  // namespace
}  // namespace holdfast::base

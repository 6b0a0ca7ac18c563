// SPDX-License-Identifier: Apache-2.0

// A MultiLock takes all of its locks or none.

#include "holdfast/multi_lock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;
using engine::Mode;

class MultiLocks : public Conformance {
 protected:
  bool is_free(const std::string& of) {
    return Mutex(open(), name(of)).acquire(kNow).has_value();
  }
};
HOLDFAST_CONFORMANCE(MultiLocks);

TEST_P(MultiLocks, AreAllHeldOrNone) {
  MultiLock all(open(), {name("b"), name("a"), name("c")});
  auto holds = all.acquire();
  ASSERT_TRUE(holds) << holds.error().message();
  EXPECT_EQ(holds->holds().size(), 3u);
  EXPECT_TRUE(holds->valid());
  EXPECT_FALSE(holds->lost().stop_requested());
  for (const char* each : {"a", "b", "c"}) EXPECT_FALSE(is_free(each)) << each;
  EXPECT_TRUE(holds->release());
  EXPECT_TRUE(holds->lost().stop_requested());
  for (const char* each : {"a", "b", "c"}) EXPECT_TRUE(is_free(each)) << each;

  Mutex one(open(), name("b"));
  const auto held = one.acquire().value();
  const auto refused = all.acquire({.wait = scaled(30ms)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::timed_out);
  EXPECT_NE(refused.error().message().find(name("b")), std::string::npos)
      << refused.error().message();
  EXPECT_TRUE(is_free("a"));
  EXPECT_TRUE(is_free("c"));
  EXPECT_FALSE(all.try_lock());
}

TEST_P(MultiLocks, WorkAsAStandardLock) {
  MultiLock all(open(), {name("a"), name("b")});
  {
    std::scoped_lock guard(all);
    EXPECT_FALSE(is_free("a"));
    EXPECT_FALSE(is_free("b"));
    EXPECT_FALSE(all.lost().stop_requested());
  }
  EXPECT_TRUE(is_free("a"));
  EXPECT_TRUE(is_free("b"));
  EXPECT_TRUE(all.lost().stop_requested());
  EXPECT_TRUE(all.try_lock_for(scaled(100ms)));
  all.unlock();
}

TEST_P(MultiLocks, MayBeOfSeveralClientsAndKinds) {
  const Client one = open();
  const Client other = open();
  MultiLock all({{one, name("a")},
                 {other, name("r"), Kind::shared_mutex, Mode::shared},
                 {other, name("b")}});
  const auto holds = all.acquire().value();
  EXPECT_FALSE(is_free("a"));
  EXPECT_FALSE(is_free("b"));
  SharedMutex shared(open(), name("r"));
  EXPECT_TRUE(shared.acquire_shared(kNow));
  EXPECT_FALSE(shared.acquire(kNow));
}

TEST_P(MultiLocks, RefuseWhatCannotBe) {
  const Client client = open();
  const auto code = [](MultiLock all) {
    const auto refused = all.acquire(kNow);
    return refused ? std::error_code() : refused.error().code;
  };
  EXPECT_EQ(code(MultiLock(client, {name("a"), name("a")})), Errc::bad_argument);
  EXPECT_EQ(code(MultiLock(client, std::vector<std::string>{})), Errc::bad_argument);
  EXPECT_EQ(code(MultiLock({{client, name("a"), Kind::counter}})), Errc::bad_argument);
  EXPECT_EQ(code(MultiLock(client, {name("a"), ""})), Errc::bad_name);
}

// Every thread names the locks in an order of its own.
TEST_P(MultiLocks, DoNotDeadlockInAnyOrder) {
  std::atomic<int> done{0};
  std::atomic<int> inside{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i, one = open(), other = open()] {
        std::vector<MultiLock::Part> parts{
            {one, name("a")}, {other, name("b")}, {one, name("c")}, {other, name("d")}};
        std::rotate(parts.begin(), parts.begin() + i, parts.end());
        if (i % 2 != 0) std::reverse(parts.begin(), parts.end());
        MultiLock all(parts);
        for (int j = 0; j < 10; ++j) {
          const auto holds = all.acquire({.wait = 2 * patience()});
          ASSERT_TRUE(holds) << holds.error().message();
          EXPECT_EQ(++inside, 1);
          ++done;
          --inside;
        }
      });
    }
  }
  EXPECT_EQ(done, 40);
}

TEST_P(MultiLocks, HaveOneDeadlineForAll) {
  Mutex last(open(), name("z"));
  const auto held = last.acquire().value();
  MultiLock all(open(), {name("a"), name("b"), name("z")});
  const auto start = Clock::now();
  EXPECT_FALSE(all.acquire({.wait = scaled(60ms)}));
  EXPECT_GE(Clock::now() - start, scaled(60ms));
  EXPECT_LT(Clock::now() - start, patience() / 2);
}

TEST_P(MultiLocks, AreLostWhenOneOfThemIs) {
  // The loss is noticed by a renewal, if by nothing else.
  const Client client = open(scaled(3s));
  MultiLock all(client, {name("a"), name("b")});
  const auto holds = all.acquire().value();
  const engine::Address address{Kind::mutex, name("b")};
  const auto owner = survey(client, address).at(0).owner;
  const auto resource = client.session().bind(address).value();
  ASSERT_TRUE(resource->evict(owner, Clock::now() + patience()));
  EXPECT_TRUE(eventually([&] { return holds.lost().stop_requested(); }));
  EXPECT_FALSE(holds.valid());
}

}  // namespace
}  // namespace holdfast::test

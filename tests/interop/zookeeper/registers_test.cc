// SPDX-License-Identifier: Apache-2.0

// DistributedAtomicLong, DistributedAtomicInteger and SharedCount are our Counter and
// SharedCount.

#include <atomic>
#include <future>

#include "holdfast/counter.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class Numbers : public ZookeeperInterop,
                public testing::WithParamInterface<const char*> {
 protected:
  const std::string java{GetParam()};
  const Client client = open(java);
  Counter counter{client, lock};

  std::string in_java() { return peer().ask("t", "get", java, lock).value; }
};

TEST_P(Numbers, AreTheSame) {
  ASSERT_EQ(peer().ask("t", "set", java, lock, 40).said, "ok");
  EXPECT_EQ(counter.get().value(), 40);
  EXPECT_EQ(counter.add(2).value().after, 42);
  EXPECT_EQ(in_java(), "42");
  EXPECT_EQ(counter.add(-43).value().after, -1);
  EXPECT_EQ(in_java(), "-1");
}

TEST_P(Numbers, LoseNoAddition) {
  constexpr long kEach = 200;
  ASSERT_EQ(peer().ask("t", "set", java, lock, 0).said, "ok");
  const auto add = [&](auto&& once) {
    return std::async(std::launch::async, [=] {
      for (long i = 0; i < kEach; ++i) EXPECT_TRUE(once());
    });
  };
  auto adds = add([&] { return counter.add(1); });
  auto updates =
      add([&] { return counter.update([](std::int64_t now) { return now + 1; }); });
  for (long i = 0; i < kEach; ++i) peer().tell("t", "add", java, lock, 1);
  for (long i = 0; i < kEach; ++i) ASSERT_EQ(peer().answer("t").said, "ok");
  adds.get();
  updates.get();
  EXPECT_EQ(in_java(), std::to_string(3 * kEach));
}

TEST_P(Numbers, AreExchangedByOneSideAlone) {
  ASSERT_EQ(peer().ask("t", "set", java, lock, 7).said, "ok");
  EXPECT_EQ(peer().ask("t", "swap", java, lock, 7, 8).value, "true");
  EXPECT_FALSE(counter.compare_exchange(7, 9).value().done);
  EXPECT_TRUE(counter.compare_exchange(8, 9).value().done);
  EXPECT_EQ(peer().ask("t", "swap", java, lock, 8, 10).value, "false");
  EXPECT_EQ(in_java(), "9");
}

INSTANTIATE_TEST_SUITE_P(, Numbers,
                         testing::Values("DistributedAtomicLong",
                                         "DistributedAtomicInteger"),
                         kind_name);

class Counts : public ZookeeperInterop {
 protected:
  const Client client = open("SharedCount");
  SharedCount count{client, lock, 5};
};

TEST_F(Counts, NewOneOfOursIsReadInJava) {
  Counter counter(client, lock);
  counter.add(3).value();
  EXPECT_EQ(peer().ask("t", "get", "DistributedAtomicLong", lock).value, "3");
}

TEST_F(Counts, AreTheSameNumber) {
  ASSERT_EQ(peer().ask("t", "set", "SharedCount", lock, 40).said, "ok");
  const Versioned seen = count.get().value();
  EXPECT_EQ(seen.number, 40);
  EXPECT_TRUE(count.compare_exchange(seen, 41).value().done);
  EXPECT_EQ(peer().ask("t", "get", "SharedCount", lock).value, "41");
  EXPECT_EQ(peer().ask("t", "swap", "SharedCount", lock, 41, 42).value, "true");
  EXPECT_FALSE(count.compare_exchange(seen, 43).value().done);
}

TEST_F(Counts, AreTheSameWhicheverSideMadeThem) {
  count.set(-2).value();
  EXPECT_EQ(peer().ask("t", "get", "SharedCount", lock).value, "-2");
}

TEST_F(Counts, AChangeIsReportedToJava) {
  count.set(1).value();
  peer().tell("t", "seen", lock, 7, patience());
  count.set(7).value();
  EXPECT_EQ(peer().answer("t").said, "ok");
}

TEST_F(Counts, AChangeIsReportedToUs) {
  count.set(1).value();
  std::atomic<std::int64_t> told = 0;
  const auto news =
      count.on_change([&](const Versioned& now) { told = now.number; }).value();
  ASSERT_EQ(peer().ask("t", "set", "SharedCount", lock, 7).said, "ok");
  EXPECT_TRUE(eventually([&] { return told == 7; }));
}

TEST_F(Counts, TheNumberOfPermitsIsOne) {
  Semaphore semaphore(client, lock);
  ASSERT_EQ(peer().ask("t", "set", "InterProcessSemaphoreV2", lock, 2).said, "ok");
  EXPECT_EQ(semaphore.permits().value(), 2u);
  peer_takes("t", "InterProcessSemaphoreV2", lock);
  EXPECT_EQ(semaphore.available().value(), 1u);
  const auto permit = semaphore.acquire({.wait = patience()});
  ASSERT_TRUE(permit) << permit.error().message();
  peer().tell("w", "lock", "InterProcessSemaphoreV2", lock, patience(), -1);
  ASSERT_TRUE(children_are(path + "/leases", 3));
  semaphore.set_permits(3).value();  // Java sees it when the next holder leaves
  peer().ask("t", "unlock", "InterProcessSemaphoreV2", lock);
  EXPECT_EQ(peer().answer("w").said, "ok");
  peer().ask("w", "unlock", "InterProcessSemaphoreV2", lock);
  EXPECT_EQ(semaphore.available().value(), 2u);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A number that Go changes in transactions of concurrency.STM is our Counter.

#include <future>

#include "holdfast/counter.h"
#include "interop/etcd/etcd_interop.h"

namespace holdfast::test {
namespace {

class Numbers : public EtcdInterop {
 protected:
  const Client client = open("Mutex");
  Counter counter{client, lock};
};

TEST_F(Numbers, AreTheSame) {
  ASSERT_EQ(peer().ask("t", "add", lock, 40).value, "40");
  EXPECT_EQ(counter.get().value(), 40);
  EXPECT_EQ(counter.add(2).value().after, 42);
  EXPECT_EQ(peer().ask("t", "get", lock).value, "42");
  EXPECT_EQ(counter.add(-43).value().after, -1);
  EXPECT_EQ(peer().ask("t", "get", lock).value, "-1");
}

TEST_F(Numbers, LoseNoAddition) {
  constexpr long kEach = 200;
  auto adds = std::async(std::launch::async, [&] {
    for (long i = 0; i < kEach; ++i) EXPECT_TRUE(counter.add(1));
  });
  for (long i = 0; i < kEach; ++i) peer().tell("t", "add", lock, 1);
  for (long i = 0; i < kEach; ++i) ASSERT_EQ(peer().answer("t").said, "ok");
  adds.get();
  EXPECT_EQ(peer().ask("t", "get", lock).value, std::to_string(2 * kEach));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/losses.h"

#include "faults/ground.h"
#include "holdfast/counter.h"

namespace holdfast::test {

using namespace std::chrono_literals;

void the_hold_is_lost_and_the_client_goes_on(const BadLine& on, const TakeAway& take) {
  Mutex mutex(on.open(scaled(3s)), "a");
  auto hold = mutex.acquire().value();
  take();
  EXPECT_TRUE(told_soon(hold));
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  const auto next = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

void nothing_comes_back(const BadLine& on, const TakeAway& take) {
  const Client client = on.open(scaled(30s));
  for (int i = 0; i < 5; ++i) {
    Mutex mutex(client, "a");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    take();
    (void)hold->release();
    ASSERT_TRUE(on.has_claims({engine::Kind::mutex, "a"}, 0));
  }
}

void registers_stay(const BadLine& on, const TakeAway& take) {
  const Client client = on.open(scaled(30s));
  Counter counter(client, "n");
  ASSERT_TRUE(counter.add(5));
  Mutex mutex(client, "a");
  mutex.lock();
  take();
  const auto sum = counter.add(2);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->after, 7);
}

}  // namespace holdfast::test

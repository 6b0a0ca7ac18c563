// SPDX-License-Identifier: Apache-2.0

#include "faults/outages.h"

#include <gtest/gtest.h>

#include "faults/ground.h"
#include "support/eventually.h"

namespace holdfast::test {

using namespace std::chrono_literals;

void a_hold_outlives_a_restart(const Outage& on) {
  const Client client = on.open();
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  on.begin();
  on.end();
  EXPECT_TRUE(throughout(2 * on.ttl, [&] { return hold.valid(); }));
  EXPECT_FALSE(Mutex(on.open(), "a").try_lock());
  EXPECT_TRUE(hold.release());
  EXPECT_GT(Mutex(client, "a").acquire().value().token(), hold.token());
}

void a_claim_outlives_a_restart(const Outage& on) {
  Mutex mutex(on.open(), "a");
  const auto hold = mutex.acquire().value();
  on.begin();
  on.end();
  EXPECT_FALSE(Mutex(on.open(), "a").try_lock());
}

void a_sale_outlives_restarts(const Outage& on) {
  const Sale sale(on.open);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(sale.goes_on()) << "restart " << i;
    on.begin();
    on.end();
  }
  EXPECT_TRUE(sale.goes_on());
}

// At least one renewal falls into the outage.
void a_hold_outlives_a_short_outage(const Outage& on) {
  Mutex mutex(on.open(), "a");
  auto hold = mutex.acquire().value();
  on.begin();
  EXPECT_TRUE(throughout(on.ttl / 2, [&] { return hold.valid(); }));
  on.end();
  EXPECT_TRUE(throughout(2 * on.ttl, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

void a_long_outage_loses_the_hold_in_time(const Outage& on) {
  Mutex mutex(on.open(), "a");
  const auto hold = mutex.acquire().value();
  const Told told(hold);
  const auto start = Clock::now();
  on.begin();
  told.expect_by(start + on.ttl + scaled(250ms));
  EXPECT_FALSE(hold.valid());
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  on.end();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << "no client holds it";
  const auto next = Mutex(on.open(), "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

void a_call_ends_in_an_outage(const Outage& on) {
  Mutex mutex(on.open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  on.begin();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  const auto took = Clock::now() - start;
  on.end();
  EXPECT_LT(took, scaled(2s));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << "no client holds it";
  EXPECT_TRUE(mutex.acquire({.wait = patience()}));
}

void a_hold_outlives(const std::function<void()>& fault, Hold& hold, Mutex& other) {
  auto entered = wait_for(other);
  EXPECT_TRUE(still_waits(entered));
  fault();
  EXPECT_TRUE(throughout(scaled(3s), [&] { return hold.valid(); }));
  EXPECT_TRUE(still_waits(entered));
  EXPECT_TRUE(hold.release());
  const Entered next = entered.get();
  ASSERT_TRUE(next.token) << next.why_not;
  EXPECT_GT(next.token, hold.token());
}

void an_outage_grants_no_lock_twice(const Outage& on, Hold& hold, Mutex& other) {
  const Told told(hold);
  auto entered = wait_for(other);
  EXPECT_TRUE(still_waits(entered));
  on.begin();
  const bool released =
      throughout(2 * on.ttl, [&] { return hold.valid(); }) && hold.release();
  on.end();
  const Entered next = entered.get();
  ASSERT_TRUE(next.token) << next.why_not;
  EXPECT_GT(next.token, hold.token());
  if (!released) told.expect_by(next.at);
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/redis/lost_calls.h"

#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

TEST_F(RedisLostCalls, ALockAndAnUnlock) { a_lock_and_an_unlock(calls_); }
TEST_F(RedisLostCalls, AReleaseIsToldTruly) { a_release_is_told_truly(calls_); }
TEST_F(RedisLostCalls, AWait) { a_wait(calls_); }
TEST_F(RedisLostCalls, AWaitThatIsGivenUp) { a_wait_that_is_given_up(calls_); }
TEST_F(RedisLostCalls, ALook) { a_look(calls_); }
TEST_F(RedisLostCalls, ReadersAndADowngrade) { readers_and_a_downgrade(calls_); }
TEST_F(RedisLostCalls, Parties) { parties(calls_); }

// A lost call is repeated within two thirds of the ttl, and so long this machine may
// stand still.
TEST_F(RedisLostCalls, Renewals) {
  const auto ttl = scaled(1500ms);
  const Client client = open(ttl);
  everywhere(calls_, Kind::mutex, [&](const std::string& name) {
    Mutex mutex(client, name);
    const auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(throughout(ttl * 11 / 10, [&] { return hold->valid(); }));
  });
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/redis/lost_calls.h"

#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

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

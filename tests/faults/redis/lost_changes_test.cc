// SPDX-License-Identifier: Apache-2.0

// Changes of registers that are lost, and attempts that arrive too late.

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/claim_lock.h"
#include "faults/redis/lost_calls.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Claim;
using engine::Kind;

using LostChanges = RedisLostCalls;

TEST_F(LostChanges, AddsAndExchanges) {
  const Client client = open();
  for (const Kind kind : {Kind::counter, Kind::shared_count}) {
    everywhere(calls_, kind, [&](const std::string& name) {
      const auto number =
          client.session()
              .bind({kind, std::to_string(static_cast<int>(kind)) + name})
              .value();
      const auto add_ticket = next_ticket();
      const auto five =
          persist([&](auto until) { return number->add(5, add_ticket, until); });
      ASSERT_TRUE(five) << five.error().message();
      EXPECT_EQ(five->number, 5);
      const auto exchange_ticket = next_ticket();
      const auto six = persist([&](auto until) {
        return number->exchange(*five, 6, exchange_ticket, until);
      });
      ASSERT_TRUE(six) << six.error().message();
      EXPECT_TRUE(six->done);
      const auto erase_ticket = next_ticket();
      const auto gone = persist([&](auto until) {
        return number->exchange(six->now, std::nullopt, erase_ticket, until);
      });
      ASSERT_TRUE(gone) << gone.error().message();
      EXPECT_TRUE(gone->done);
    });
  }
}

// The attempt lies in a connection that is stuck and was given up; the claim is dropped
// over another; then the attempt arrives.
using LateCalls = RedisLostCalls;

TEST_F(LateCalls, AnAttemptThatArrivesAfterItsDropTakesNothing) {
  const Client client = open();
  for (const Kind kind : {Kind::mutex, Kind::fair_mutex, Kind::shared_mutex,
                          Kind::semaphore, Kind::election, Kind::double_barrier}) {
    const std::string name = "late " + std::to_string(static_cast<int>(kind));
    const auto resource = client.session().bind({kind, name}).value();
    const Claim first{.ticket = next_ticket(), .capacity = 1};
    ASSERT_TRUE(resource->attempt(first, nullptr, soon()));
    ASSERT_TRUE(resource->drop(first, soon()));
    const Claim late{.ticket = next_ticket(), .capacity = 1};
    line_.freeze_present();
    const auto stuck = resource->attempt(late, nullptr, Clock::now() + scaled(500ms));
    ASSERT_FALSE(stuck);
    EXPECT_EQ(stuck.error().code, Errc::outcome_unknown) << stuck.error().message();
    (void)persist([&](auto until) {
      return resource->drop(late, std::min(until, Clock::now() + scaled(1s)));
    });
    const int before = calls();
    line_.thaw();
    EXPECT_TRUE(eventually([&] { return calls() > before; })) << "it did arrive";
    EXPECT_TRUE(resource->survey(9, soon()).value().empty());
    const bool stays = kind == Kind::semaphore;
    EXPECT_EQ(left_behind(server_), stays ? name : "");
    server_.command({"DEL", name});
  }
}

}  // namespace
}  // namespace holdfast::test

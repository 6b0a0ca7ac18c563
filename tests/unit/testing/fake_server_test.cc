// SPDX-License-Identifier: Apache-2.0

#include "testing/fake_server.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/common_failures.h"
#include "fake_clock.h"
#include "testing/fake_engine.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using engine::Ticket;

// The conformance suite tests it as an engine. These tests are about what it has beyond
// that.
class FakeServerTest : public testing::Test {
 protected:
  bool attempt(FakeServer::Client who, Ticket ticket, engine::LeaseTime lease = {}) {
    Claim claim;
    claim.ticket = ticket;
    claim.lease = lease;
    return std::holds_alternative<Granted>(
        server.attempt(who, address, claim, signal).value());
  }
  FakeClock clock;
  const std::shared_ptr<FakeWorld> world = FakeEngine::world();
  FakeServer& server = world->server;
  const FakeServer::Client one = server.join({});
  const FakeServer::Client two = server.join({});
  const engine::Waker signal = FakeEngine(world).open({}).value()->signal();
  const engine::Address address{Kind::mutex, "a"};
};

TEST_F(FakeServerTest, LeasesEndByTheClock) {
  ASSERT_TRUE(attempt(one, Ticket{1}, 10s));
  clock.advance(9s);
  EXPECT_FALSE(attempt(two, Ticket{1}));
  clock.advance(1s);
  EXPECT_TRUE(attempt(two, Ticket{1}));
}

TEST_F(FakeServerTest, AnOldTicketDoesNotComeBack) {
  ASSERT_TRUE(attempt(one, Ticket{1}));
  Claim claim;
  claim.ticket = Ticket{1};
  ASSERT_TRUE(server.drop(one, address, claim));
  EXPECT_EQ(server.attempt(one, address, claim, signal).error().code, Errc::not_held);
}

// It is linked beside the library, and so has texts of its own.
TEST_F(FakeServerTest, FailuresAreSpeltAsThoseOfTheEngines) {
  const Claim dropped{.ticket = Ticket{1}};
  ASSERT_TRUE(attempt(one, dropped.ticket));
  ASSERT_TRUE(server.drop(one, address, dropped));
  EXPECT_EQ(server.attempt(one, address, dropped, signal).error().context,
            base::was_given_up("\"a\"").context);
  const engine::Address permits{Kind::semaphore, "s"};
  Claim many{.ticket = Ticket{2}, .permits = 4};
  EXPECT_EQ(server.attempt(one, permits, many, signal).error().context,
            base::too_many_permits("\"s\"", 4, 0).context);
  many.capacity = 3;
  EXPECT_EQ(server.attempt(one, permits, many, signal).error().context,
            base::too_many_permits("\"s\"", 4, 3).context);
  const Claim ahead{.ticket = Ticket{3}, .token = {~std::uint64_t{0}}};
  EXPECT_EQ(server.attempt(one, address, ahead, signal).error().context,
            base::token_too_far_ahead("\"a\"").context);

  const Claim reader{.ticket = Ticket{4}, .mode = engine::Mode::shared};
  const Claim writer{.ticket = Ticket{4}};
  const Claim larger{.ticket = Ticket{4}, .permits = 2, .mode = reader.mode};
  const engine::Address prices{Kind::shared_mutex, "p"};
  ASSERT_TRUE(server.attempt(one, prices, reader, signal));
  EXPECT_EQ(server.amend(one, prices, reader, writer).error().context,
            base::reader_cannot_write("\"p\"").context);
  EXPECT_EQ(server.amend(one, prices, reader, larger).error().context,
            base::cannot_grow("\"p\"").context);
  EXPECT_EQ(server.add(one, {Kind::counter, "p"}, 1, Ticket::none).error().context,
            base::used_by_another_kind("\"p\"").context);

  const engine::Address counter{Kind::counter, "n"};
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  ASSERT_TRUE(server.add(one, counter, kMost, Ticket::none));
  EXPECT_EQ(server.add(one, counter, 1, Ticket::none).error().context,
            base::number_does_not_fit("\"n\"").context);
}

TEST_F(FakeServerTest, ClaimsEndWithTheirClient) {
  ASSERT_TRUE(attempt(one, Ticket{1}));
  EXPECT_FALSE(attempt(two, Ticket{1}));
  server.leave(one);
  EXPECT_TRUE(attempt(two, Ticket{1}));
}

TEST_F(FakeServerTest, ReservesTokensOnlyIfItIsToldTo) {
  for (const bool reserves : {true, false}) {
    FakeServer other(FakeEngine::default_traits(), reserves);
    const auto client = other.join({});
    Claim claim;
    claim.ticket = Ticket{1};
    claim.tokens = 8;
    const auto granted =
        std::get<Granted>(other.attempt(client, address, claim, signal).value());
    EXPECT_EQ(granted.tokens, reserves ? 8u : 1u);
  }
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// An engine's promises about itself are true.

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

using engine::Kind;

class Promises : public Conformance {};
HOLDFAST_CONFORMANCE(Promises);

TEST_P(Promises, EveryKindIsThere) {
  const Client client = open();
  for (const Kind kind :
       {Kind::mutex, Kind::fair_mutex, Kind::shared_mutex, Kind::semaphore,
        Kind::election, Kind::double_barrier, Kind::latch, Kind::barrier, Kind::counter,
        Kind::shared_count}) {
    EXPECT_TRUE(client.traits(kind).supported) << static_cast<int>(kind);
  }
}

TEST_P(Promises, TokensFence) {
  const Client client = open();
  for (const Kind kind :
       {Kind::mutex, Kind::fair_mutex, Kind::shared_mutex, Kind::election}) {
    const auto traits = client.traits(kind);
    EXPECT_EQ(traits.fences, traits.supported) << static_cast<int>(kind);
  }
  EXPECT_TRUE(Mutex(client, name("a")).acquire().value().token());
}

// As docs/primitives.md says, holders that are in at the same time cannot be fenced
// against each other, and a kind without a holder has no token.
TEST_P(Promises, NothingElseFences) {
  const Client client = open();
  for (const Kind kind : {Kind::semaphore, Kind::double_barrier, Kind::latch,
                          Kind::barrier, Kind::counter, Kind::shared_count}) {
    EXPECT_FALSE(client.traits(kind).fences) << static_cast<int>(kind);
  }
}

TEST_P(Promises, AGrantEndsByTimeOrDoesNot) {
  const Client client = open();
  const auto hold = Mutex(client, name("a")).acquire().value();
  if (client.traits(Kind::mutex).leased) {
    EXPECT_LE(hold.valid_for(), scaled(std::chrono::seconds(30)));
  } else {
    EXPECT_EQ(hold.valid_for(), std::chrono::nanoseconds::max());
  }
}

TEST_P(Promises, ServersAreDescribedOnce) {
  const Client client = open();
  std::set<std::string> seen;
  for (const auto& each : client.session().servers()) {
    EXPECT_NE(each.server, "");
    EXPECT_TRUE(seen.insert(each.server).second) << each.server;
    for (const auto& [property, value] : each.properties) {
      EXPECT_NE(property, "") << each.server;
      EXPECT_NE(value, "") << each.server << ": " << property;
    }
  }
}

TEST_P(Promises, ASignalOutlivesItsSession) {
  engine::Waker signal;
  {
    const Client client = open();
    signal = client.session().signal();
  }
  signal->ring();
  const auto limit = Clock::now() + scaled(std::chrono::seconds(10));
  signal->wait(limit);
  EXPECT_LT(Clock::now(), limit) << "the ring was not heard";
}

TEST_P(Promises, ASweepLeavesWhatIsInUse) {
  const Client client = open();
  const auto hold = Mutex(client, name("a")).acquire().value();
  ASSERT_TRUE(client.session().sweep(std::chrono::years(1), soon()));
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock());
  EXPECT_TRUE(hold.valid());
}

}  // namespace
}  // namespace holdfast::test

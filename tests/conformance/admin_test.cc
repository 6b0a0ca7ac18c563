// SPDX-License-Identifier: Apache-2.0

// Operators can see a name, free it and end one hold (holdfast/admin.h).

#include "holdfast/admin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/barrier.h"
#include "holdfast/counter.h"
#include "holdfast/latch.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"

namespace holdfast::test {
namespace {

using engine::Kind;

constexpr Kind kStored[] = {Kind::counter, Kind::shared_count, Kind::semaphore,
                            Kind::latch, Kind::barrier};
constexpr std::int64_t kNumber = 3;

// Stores something that outlives its writer, or returns why it cannot.
Result<void> store(const Client& client, Kind kind, const std::string& name) {
  const auto ignore = [](const auto& result) -> Result<void> {
    if (!result.has_value()) return result.error();
    return {};
  };
  switch (kind) {
    case Kind::counter:
      return ignore(Counter(client, name).exchange(kNumber));
    case Kind::shared_count:
      return ignore(SharedCount(client, name).set(kNumber));
    case Kind::semaphore:
      return ignore(Semaphore(client, name).set_permits(kNumber));
    case Kind::latch:
      return ignore(Latch(client, name).set_count(kNumber));
    default:
      return ignore(Barrier(client, name).set());
  }
}

bool shows(const ResourceState& state, Kind kind) { return state.address.kind == kind; }

class Administration : public Conformance {
 protected:
  Client open_as(std::string payload) {
    ClientOptions options;
    options.payload = std::move(payload);
    return engine().open(std::move(options));
  }
};
HOLDFAST_CONFORMANCE(Administration);

TEST_P(Administration, ListsHoldersAndWaiters) {
  const engine::Address address{Kind::mutex, name("a")};
  ClaimLock first(open_as("one"), address);
  ClaimLock second(open_as("two"), address);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_TRUE(waiting(open(), address, 1));
  const auto states = inspect(open(), name("a")).value();
  const auto mutex = std::ranges::find_if(
      states, [](const auto& each) { return shows(each, Kind::mutex); });
  ASSERT_NE(mutex, states.end());
  ASSERT_EQ(mutex->holders.size(), 1u);
  EXPECT_EQ(mutex->holders[0].payload, "one");
  ASSERT_EQ(mutex->waiters.size(), 1u);
  EXPECT_EQ(mutex->waiters[0].payload, "two");

  const auto listed = list(open(), name("")).value();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].address.name, name("a"));
  EXPECT_EQ(listed[0].holders.size(), 1u);
}

TEST_P(Administration, SeesNothingWhereNothingIs) {
  EXPECT_TRUE(inspect(open(), name("a")).value().empty());
  EXPECT_TRUE(list(open(), name("")).value().empty());
  EXPECT_EQ(inspect(open(), "").error().code, Errc::bad_name);
}

TEST_P(Administration, EndsTheHoldOfATokenAndNotTheNext) {
  const Client client = open();
  Mutex mutex(client, name("a"));
  auto hold = mutex.acquire().value();
  const FencingToken old = hold.token();
  ASSERT_TRUE(hold.release());
  auto next = mutex.acquire().value();
  const auto missed = end_hold(client, name("a"), old);
  if (!client.traits(Kind::mutex).fences) {
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().code, Errc::unsupported) << missed.error().message();
    return;
  }
  // Where the token belongs to a place in the queue, both holds may share it.
  if (next.token() != old) {
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().code, Errc::not_held) << missed.error().message();
    EXPECT_TRUE(next.valid());
  }
  const auto seen = inspect(client, engine::Address{Kind::mutex, name("a")}).value();
  ASSERT_EQ(seen.holders.size(), 1u);
  const auto ended = end_hold(client, name("a"), seen.holders[0].token);
  ASSERT_TRUE(ended) << ended.error().message();
  EXPECT_EQ(ended->address.kind, Kind::mutex);
  ASSERT_EQ(ended->holders.size(), 1u);
  EXPECT_EQ(ended->holders[0].owner, seen.holders[0].owner);
  EXPECT_TRUE(Mutex(open(), name("a")).acquire({.wait = patience()}));
}

TEST_P(Administration, EndsNothingWithoutAToken) {
  const Client client = open();
  const auto hold = Mutex(client, name("a")).acquire().value();
  EXPECT_FALSE(end_hold(client, name("a"), {}));
  EXPECT_TRUE(hold.valid());
}

class Removal : public Conformance {};
HOLDFAST_CONFORMANCE(Removal);

TEST_P(Removal, FreesANameForEveryOtherKind) {
  const Client client = open();
  for (const Kind kind : kStored) {
    const std::string each = name(kind_name(kind));
    for (const Kind next : kStored) {
      const auto stored = store(client, kind, each);
      ASSERT_TRUE(stored) << kind_name(kind) << ": " << stored.error().message();
      const auto gone = remove(open(), each);
      ASSERT_TRUE(gone.has_value())
          << kind_name(kind) << ": " << gone.error().message();
      EXPECT_TRUE(*gone) << kind_name(kind);
      EXPECT_TRUE(inspect(open(), each).value().empty()) << kind_name(kind);
      const auto again = remove(open(), each);
      ASSERT_TRUE(again.has_value()) << again.error().message();
      EXPECT_FALSE(*again) << kind_name(kind);
      {
        auto hold = Mutex(client, each).acquire({.wait = Timeout::zero()});
        ASSERT_TRUE(hold) << kind_name(kind) << ": " << hold.error().message();
      }
      {
        auto hold = SharedMutex(client, each).acquire({.wait = patience()});
        ASSERT_TRUE(hold) << kind_name(kind) << ": " << hold.error().message();
      }
      const auto other = store(client, next, each);
      ASSERT_TRUE(other) << kind_name(kind) << " to " << kind_name(next) << ": "
                         << other.error().message();
      ASSERT_TRUE(remove(client, each, next).value()) << kind_name(next);
    }
  }
}

TEST_P(Removal, TakesNothingAwayFromAHolder) {
  const Client client = open();
  Semaphore semaphore(client, name("a"), kNumber);
  auto permit = semaphore.acquire().value();
  for (const auto& refused :
       {remove(open(), name("a")), remove(open(), name("a"), Kind::semaphore)}) {
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, Errc::timed_out) << refused.error().message();
    EXPECT_NE(refused.error().message().find(name("a")), std::string::npos);
  }
  EXPECT_EQ(semaphore.permits().value(), kNumber);
  EXPECT_TRUE(permit.valid());
  ASSERT_TRUE(permit.release());
  EXPECT_TRUE(remove(open(), name("a"), Kind::semaphore).value());
  EXPECT_EQ(semaphore.permits().value(), 0u);
}

TEST_P(Removal, OfAnotherKindIsRefusedOrFindsNothing) {
  const Client client = open();
  ASSERT_TRUE(store(client, Kind::shared_count, name("a")));
  const auto missed = remove(client, name("a"), Kind::barrier);
  if (missed.has_value()) {
    EXPECT_FALSE(*missed);
  } else {
    EXPECT_EQ(missed.error().code, Errc::wrong_kind) << missed.error().message();
  }
  EXPECT_EQ(SharedCount(client, name("a")).get().value().number, kNumber);
}

class KindMixUps : public Conformance {};
HOLDFAST_CONFORMANCE(KindMixUps);

TEST_P(KindMixUps, AreToldWithTheValueAndTheWayOut) {
  const Client client = open();
  ASSERT_TRUE(Counter(client, name("a")).exchange(97));
  const auto refused = Mutex(client, name("a")).acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind);
  const std::string said = refused.error().message();
  EXPECT_NE(said.find("is a counter with the value 97"), std::string::npos) << said;
  EXPECT_NE(said.find("holdfast rm --kind counter " + name("a")), std::string::npos)
      << said;
}

TEST_P(KindMixUps, NameTheHolder) {
  ClientOptions options;
  options.payload = "the-holder";
  const Client holder = engine().open(std::move(options));
  const auto hold = Mutex(holder, name("a")).acquire().value();
  const auto refused = Counter(open(), name("a")).add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind);
  const std::string said = refused.error().message();
  EXPECT_NE(said.find("in use as a mutex, held by the-holder"), std::string::npos)
      << said;
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Observers and operators use survey, list, watch, evict and wrong_kind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <future>
#include <set>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/holder.h"
#include "holdfast/lock_reason.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Observers : public Conformance {
 protected:
  Client open_as(std::string payload) {
    ClientOptions options;
    options.payload = std::move(payload);
    return engine().open(std::move(options));
  }
};

HOLDFAST_CONFORMANCE(Observers);

TEST_P(Observers, SeeTheQueueInOrder) {
  const engine::Address address{Kind::mutex, name("a")};
  ClaimLock first(open_as("one"), address);
  ClaimLock second(open_as("two"), address);
  ClaimLock third(open_as("three"), address);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());

  const auto entries = survey(open(), address);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].payload, "one");
  EXPECT_EQ(entries[1].payload, "two");
  EXPECT_EQ(entries[2].payload, "three");
  EXPECT_TRUE(entries[0].granted);
  EXPECT_TRUE(entries[0].token);
  EXPECT_FALSE(entries[1].granted);
  EXPECT_FALSE(entries[2].granted);
  std::set<std::string> owners;
  for (const auto& entry : entries) owners.insert(entry.owner);
  EXPECT_EQ(owners.size(), 3u);
  if (entries[0].since) {
    const auto age = std::chrono::system_clock::now() - *entries[0].since;
    EXPECT_GE(age, std::chrono::seconds(-1));
    EXPECT_LT(age, patience());
  }
}

TEST_P(Observers, SeeAClaimsOwnPayloadAndPermits) {
  const engine::Address address{Kind::semaphore, name("a")};
  ClaimLock claim(open_as("session"), address,
                  {.permits = 2, .capacity = 5, .payload = "claim"});
  ASSERT_TRUE(claim.begin());
  const auto entries = survey(open(), address);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].payload, "claim");
  EXPECT_EQ(entries[0].permits, 2u);
}

// A long payload keeps no client from a lock, in whichever part it is long.
TEST_P(Observers, SeeTheBeginningOfALongPayload) {
  const engine::Address address{Kind::mutex, name("a")};
  for (const std::string part : {"", "a #thread ", "a #function ", "a #description "}) {
    const std::string payload = part + std::string(1500, 'x');
    const Holder said = read_holder(payload);
    for (const std::string_view own : {std::string_view(), std::string_view(payload)}) {
      ClaimLock lock(open_as(payload), address, {.payload = own});
      ASSERT_TRUE(lock.acquire()) << part;
      const auto entries = survey(open(), address);
      ASSERT_EQ(entries.size(), 1u);
      const Holder seen = read_holder(entries[0].payload);
      EXPECT_TRUE(seen.text.starts_with(said.text.substr(0, 60))) << seen.text;
      EXPECT_TRUE(seen.function.starts_with(said.function.substr(0, 60)));
      EXPECT_TRUE(seen.description.starts_with(said.description.substr(0, 60)));
    }
  }
}

TEST_P(Observers, SeeWhatAHereSays) {
  const engine::Address address{Kind::mutex, name("a")};
  const Client client = open_as("web-07:12:shop");
  Mutex mutex(client, address.name);
  Mutex other(open(), address.name);
  {
    const LockReason reason("nightly\nrestock");
    mutex.lock();
  }
  const auto entries = survey(open(), address);
  ASSERT_EQ(entries.size(), 1u);
  const Holder holder = read_holder(entries[0].payload);
  EXPECT_EQ(holder.text, "web-07:12:shop");
  EXPECT_EQ(holder.program, "shop");
  EXPECT_EQ(holder.description, "nightly?restock");
  EXPECT_THAT(holder.function, HasSubstr(" at observers_test.cc:"));
  EXPECT_THAT(holder.thread, EndsWith(" " + std::to_string(gettid())));
  const auto refused = other.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              AllOf(HasSubstr("is held by web-07:12:shop, thread "), HasSubstr(", in "),
                    HasSubstr(", for \"nightly?restock\"")));
  mutex.unlock();

  mutex.lock();
  EXPECT_EQ(survey(open(), address).at(0).payload, "web-07:12:shop")
      << "of the hold before";
  mutex.unlock();
}

TEST_P(Observers, SeeTheHereOfTheThreadThatHasIt) {
  const engine::Address address{Kind::mutex, name("a")};
  const Client client = open_as("one");
  Mutex mutex(client, address.name);
  mutex.lock();
  auto next = std::async(std::launch::async, [&] {
    const LockReason reason("the second");
    const auto hold = Mutex(client, address.name).acquire({.wait = patience()});
    return hold ? survey(open(), address).at(0).payload : hold.error().message();
  });
  (void)next.wait_for(scaled(50ms));  // It waits by then, or attempts later.
  mutex.unlock();
  EXPECT_EQ(read_holder(next.get()).description, "the second")
      << "it was handed over with what the first one says";
}

TEST_P(Observers, SeeNoMoreThanTheyAskedFor) {
  const engine::Address address{Kind::mutex, name("a")};
  std::deque<ClaimLock> queue;
  for (int i = 0; i < 5; ++i) (void)queue.emplace_back(open(), address).begin();
  const Client client = open();
  const auto resource = client.session().bind(address).value();
  EXPECT_EQ(resource->survey(2, soon()).value().size(), 2u);
  EXPECT_EQ(resource->survey(5, soon()).value().size(), 5u);
}

TEST_P(Observers, SeeNothingWhereNothingIs) {
  EXPECT_TRUE(survey(open(), {Kind::mutex, name("a")}).empty());
}

TEST_P(Observers, EvictAWaiterAndTheQueueMovesOn) {
  const engine::Address address{Kind::mutex, name("a")};
  ClaimLock first(open(), address);
  ClaimLock second(open(), address);
  ClaimLock third(open(), address);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  const Client client = open();
  const auto resource = client.session().bind(address).value();
  const std::string owner = survey(client, address).at(1).owner;
  ASSERT_TRUE(resource->evict(owner, soon()));
  const auto again = resource->evict(owner, soon());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::not_held);
  ASSERT_TRUE(first.release());
  EXPECT_TRUE(third.again());
}

TEST_P(Observers, ListEveryNameOnce) {
  const Client client = open();
  std::deque<Mutex> held;
  std::set<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    const std::string each = name("in/" + std::to_string(i));
    held.emplace_back(client, each).lock();
    expected.insert(each);
  }
  held.emplace_back(client, name("out")).lock();

  std::multiset<std::string> listed;
  std::string from;
  int pages = 0;
  do {
    const auto page = open().session().list(name("in/"), from, soon()).value();
    for (const auto& address : page.addresses) {
      EXPECT_EQ(address.kind, Kind::mutex);
      listed.insert(address.name);
    }
    from = page.next;
    ASSERT_LT(++pages, 1000) << "the pages do not end";
  } while (!from.empty());
  EXPECT_TRUE(std::ranges::equal(listed, expected)) << listed.size() << " listed";
}

class OneKind : public Conformance {};
HOLDFAST_CONFORMANCE(OneKind);

TEST_P(OneKind, HasALiveName) {
  const Client client = open();
  Mutex mutex(client, name("a"));
  const auto counter = client.session().bind({Kind::counter, name("a")}).value();
  mutex.lock();
  const auto refused = counter->add(1, engine::Ticket::none, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind);
  mutex.unlock();

  const auto other = client.session().bind({Kind::counter, name("b")}).value();
  ASSERT_TRUE(other->add(1, engine::Ticket::none, soon()));
  const auto also_refused = Mutex(client, name("b")).acquire();
  ASSERT_FALSE(also_refused);
  EXPECT_EQ(also_refused.error().code, Errc::wrong_kind);
  EXPECT_EQ(other->load(soon()).value().number, 1);
}

TEST_P(OneKind, IsNoticedByAnEarlierUserOfTheName) {
  Mutex mutex(open(), name("a"));
  ASSERT_TRUE(mutex.acquire().value().release());
  const Client client = open();
  const auto counter = client.session().bind({Kind::counter, name("a")}).value();
  ASSERT_TRUE(counter->add(1, engine::Ticket::none, soon()));
  const auto refused = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind);
}

}  // namespace
}  // namespace holdfast::test

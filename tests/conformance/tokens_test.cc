// SPDX-License-Identifier: Apache-2.0

// Tokens rise with every grant of a name, whichever client gets it.

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

class Tokens : public Conformance {};
HOLDFAST_CONFORMANCE(Tokens, {Shape::mutex, Shape::recursive_mutex, Shape::fair_mutex,
                              Shape::shared_mutex});

TEST_P(Tokens, RiseOverAThousandGrants) {
  const auto first = make_exclusive(GetParam().of, open(), name("a"));
  const auto second = make_exclusive(GetParam().of, open(), name("a"));
  FencingToken last;
  for (int i = 0; i < 500; ++i) {
    for (const auto& each : {first.get(), second.get()}) {
      const FencingToken token = each->acquire().value();
      ASSERT_GT(token, last) << "grant " << 2 * i;
      last = token;
      ASSERT_TRUE(each->release());
    }
  }
}

TEST_P(Tokens, RiseOverAnotherClient) {
  FencingToken last;
  for (int i = 0; i < 10; ++i) {
    const auto each = make_exclusive(GetParam().of, open(), name("a"));
    const FencingToken token = each->acquire().value();
    EXPECT_GT(token, last);
    last = token;
    EXPECT_TRUE(each->release());
  }
}

TEST_P(Tokens, RiseOverTheLastClaimOfAName) {
  const Client observer = open();
  const auto first = make_exclusive(GetParam().of, open(), name("a"));
  const FencingToken before = first->acquire().value();
  ASSERT_TRUE(first->release());
  ASSERT_TRUE(survey(observer, {kind_of(GetParam().of), name("a")}).empty());
  const auto many = make_exclusive(GetParam().of, observer, name("b"));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(many->acquire());
    ASSERT_TRUE(many->release());
  }
  EXPECT_GT(first->acquire().value(), before);
  EXPECT_TRUE(first->release());
}

TEST_P(Tokens, RiseOverASweep) {
  const Client sweeper = open();
  const auto mutex = make_exclusive(GetParam().of, open(), name("a"));
  FencingToken last;
  for (int i = 0; i < 3; ++i) {
    const FencingToken token = mutex->acquire().value();
    EXPECT_GT(token, last);
    last = token;
    ASSERT_TRUE(mutex->release());
    ASSERT_TRUE(sweeper.session().sweep(std::chrono::seconds(0), soon()));
  }
}

class SharedTokens : public Conformance {};
HOLDFAST_CONFORMANCE(SharedTokens);

TEST_P(SharedTokens, RiseWhenThreadsPassTheLockOn) {
  const Client client = open();
  std::vector<FencingToken> seen;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        Mutex mutex(client, name("a"));
        for (int j = 0; j < 250; ++j) {
          std::scoped_lock guard(mutex);
          seen.push_back(mutex.token());
        }
      });
    }
  }
  ASSERT_EQ(seen.size(), 1000u);
  for (std::size_t i = 1; i < seen.size(); ++i) ASSERT_GT(seen[i], seen[i - 1]);
}

// A reader's token is compared with the last writer's: it must not look older.
TEST_P(SharedTokens, OfAReaderIsNotBelowThatOfTheWriterBefore) {
  const Client client = open();
  const engine::Address address{engine::Kind::shared_mutex, name("a")};
  ClaimLock writer(client, address);
  ClaimLock reader(client, address, {.mode = engine::Mode::shared});
  const FencingToken written = writer.acquire().value();
  ASSERT_TRUE(writer.release());
  const FencingToken read = reader.acquire().value();
  ASSERT_TRUE(reader.release());
  EXPECT_GE(read, written);
  EXPECT_GT(writer.acquire().value(), read);
}

// Whatever is stored of the name may be removed meanwhile.
TEST_P(SharedTokens, AReservedBlockIsNotGrantedAgain) {
  const Client client = open();
  const engine::Address address{engine::Kind::mutex, name("a")};
  const auto resource = client.session().bind(address).value();
  const engine::Claim claim{.ticket = next_ticket(), .tokens = 1'000'000'000};
  const auto granted =
      std::get<engine::Granted>(resource->attempt(claim, nullptr, soon()).value());
  ASSERT_GE(granted.tokens, 1u);
  ASSERT_TRUE(resource->drop(claim, soon()));
  ASSERT_TRUE(client.session().sweep(std::chrono::seconds(0), soon()));
  ClaimLock next(client, address);
  EXPECT_GE(next.acquire().value().value, granted.token.value + granted.tokens);
}

// Threads that pass a lock on have a token each. Where all tokens of a grant are one
// number, they have that, and no other grant has it.
TEST_P(SharedTokens, OfOneGrantAreOneNumberIfItSaysSo) {
  const Client client = engine().open_sharing({});
  const engine::Address address{engine::Kind::mutex, name("a")};
  const auto resource = client.session().bind(address).value();
  const engine::Claim claim{.ticket = next_ticket(), .tokens = 1000};
  const auto granted =
      std::get<engine::Granted>(resource->attempt(claim, nullptr, soon()).value());
  ASSERT_TRUE(resource->drop(claim, soon()));

  std::vector<FencingToken> seen;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        Mutex mutex(client, name("a"));
        for (int j = 0; j < 100; ++j) {
          std::scoped_lock guard(mutex);
          seen.push_back(mutex.token());
        }
      });
    }
  }
  ASSERT_EQ(seen.size(), 400u);
  const std::uint64_t apart = granted.one_token ? 1 : granted.tokens;
  EXPECT_GE(seen.front().value, granted.token.value + apart) << "another grant";
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  const bool shared = std::ranges::adjacent_find(seen) != seen.end();
  EXPECT_EQ(shared, granted.one_token);
  ClaimLock next(open(), address);
  EXPECT_GT(next.acquire().value(), seen.back());
}

}  // namespace
}  // namespace holdfast::test

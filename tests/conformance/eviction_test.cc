// SPDX-License-Identifier: Apache-2.0

// These cases say what an operator's eviction must mean for the evicted holder and for
// the next one.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stop_token>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kDefaultTtl = 30s;

class Eviction : public Conformance {
 protected:
  engine::Address address() const { return {kind_of(GetParam().of), name("a")}; }

  // Holds it through `client` while `use` runs, which gets its lost().
  void hold(const Client& client, const std::function<void(std::stop_token)>& use) {
    switch (GetParam().of) {
      case Shape::fair_mutex:
        return hold(FairMutex(client, name("a")), use);
      case Shape::shared_mutex:
        return hold(SharedMutex(client, name("a")), use);
      case Shape::semaphore:
        return hold(Semaphore(client, name("a"), 1), use);
      case Shape::election:
        return lead(Election(client, name("a")), use);
      default:
        return hold(Mutex(client, name("a")), use);
    }
  }

  void evict() {
    const Client operators = open();
    const auto entries = survey(operators, address());
    ASSERT_EQ(entries.size(), 1u);
    const auto resource = operators.session().bind(address()).value();
    ASSERT_TRUE(resource->evict(entries.front().owner, soon()));
  }

  // Evicts a hold of this `age`, and checks how long the holder takes to learn of it.
  void told_in_time(std::chrono::milliseconds age) {
    const Client first = open(kDefaultTtl);
    const Client second = open(kDefaultTtl);
    hold(first, [&](const std::stop_token& lost) {
      std::atomic<Clock::time_point> told{Clock::time_point::max()};
      const std::stop_callback on_loss(lost, [&] { told = Clock::now(); });
      ASSERT_TRUE(throughout(age, [&] { return !lost.stop_requested(); }));
      ASSERT_NO_FATAL_FAILURE(evict());
      const auto evicted = Clock::now();
      hold(second, [&](const std::stop_token& of_second) {
        EXPECT_TRUE(
            eventually([&] { return told.load() != Clock::time_point::max(); }));
        EXPECT_LE(told.load() - evicted, scaled(1s));
        RecordProperty(
            "told_after_ms_at_age_" + std::to_string(age.count()),
            std::to_string((told.load() - evicted) / std::chrono::milliseconds(1)));
        EXPECT_FALSE(of_second.stop_requested());
      });
    });
  }

 private:
  template <class Primitive>
  static void hold(Primitive primitive,
                   const std::function<void(std::stop_token)>& use) {
    const auto held = primitive.acquire({.wait = patience()});
    ASSERT_TRUE(held) << held.error().message();
    const std::stop_token lost = held->lost();
    EXPECT_TRUE(held->valid());
    use(lost);
    EXPECT_EQ(held->valid(), !lost.stop_requested());
  }
  static void lead(Election election, const std::function<void(std::stop_token)>& use) {
    ASSERT_TRUE(election.campaign({}, {.wait = patience()}));
    const std::stop_token lost = election.lost();
    EXPECT_TRUE(election.is_leader());
    use(lost);
    EXPECT_EQ(election.is_leader(), !lost.stop_requested());
  }
};

HOLDFAST_CONFORMANCE(Eviction, {Shape::mutex, Shape::fair_mutex, Shape::shared_mutex,
                                Shape::semaphore, Shape::election});

TEST_P(Eviction, OfAYoungHoldIsToldWithinASecond) { told_in_time(0ms); }

TEST_P(Eviction, OfAnOlderHoldIsToldWithinASecond) { told_in_time(1500ms); }

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A SharedCount is a number with a version, and tells of its changes.

#include "holdfast/shared_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class SharedCounts : public Conformance {
 protected:
  SharedCount count(std::int64_t seed = 0) { return {open(), name("a"), seed}; }
};
HOLDFAST_CONFORMANCE(SharedCounts);

TEST_P(SharedCounts, AreTheirSeedUntilTheyAreSet) {
  auto one = count(7);
  EXPECT_EQ(one.get().value(), (Versioned{7, 0}));
  const auto set = one.compare_exchange(one.get().value(), 8).value();
  EXPECT_TRUE(set.done);
  EXPECT_EQ(set.now.number, 8);
  EXPECT_NE(set.now.version, 0u);
  EXPECT_EQ(count(99).get().value(), set.now);
}

TEST_P(SharedCounts, AreSetOnlyByAClientThatSawTheLastVersion) {
  auto one = count();
  auto other = count();
  const Versioned seen = one.set(5).value();
  ASSERT_TRUE(other.compare_exchange(seen, 6).value().done);
  ASSERT_TRUE(other.compare_exchange(other.get().value(), 5).value().done);
  const auto refused = one.compare_exchange(seen, 9).value();
  EXPECT_FALSE(refused.done) << "it changed and changed back";
  EXPECT_EQ(refused.now.number, 5);
  EXPECT_NE(refused.now.version, seen.version);
  EXPECT_TRUE(one.compare_exchange(refused.now, 9).value().done);
  EXPECT_EQ(other.get().value().number, 9);
}

TEST_P(SharedCounts, AreSetByOneOfManyAtATime) {
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, client = open()] {
        SharedCount mine(client, name("a"));
        Versioned seen = mine.get().value();
        for (int done = 0; done < 25;) {
          const auto set = mine.compare_exchange(seen, seen.number + 1).value();
          seen = set.now;
          if (set.done) ++done;
        }
      });
    }
  }
  EXPECT_EQ(count().get().value().number, 100);
}

TEST_P(SharedCounts, TellTheirChanges) {
  auto one = count(1);
  auto other = count();
  std::atomic<std::int64_t> told{-1};
  auto news = one.on_change([&](const Versioned& now) { told = now.number; }).value();
  EXPECT_TRUE(
      throughout(scaled(std::chrono::milliseconds(30)), [&] { return told == -1; }));
  for (const std::int64_t each : {5, 6, 7}) {
    (void)other.set(each).value();
    EXPECT_TRUE(eventually([&] { return told == each; })) << told;
  }
  news.cancel();
  (void)other.set(8).value();
  EXPECT_TRUE(
      throughout(scaled(std::chrono::milliseconds(30)), [&] { return told == 7; }));
}

TEST_P(SharedCounts, TellThemToAnExecutor) {
  std::mutex guard;
  std::deque<std::function<void()>> tasks;
  auto one = count();
  std::atomic<std::int64_t> told{0};
  const auto news = one.on_change([&](const Versioned& now) { told = now.number; },
                                  [&](std::function<void()> task) {
                                    std::scoped_lock lock(guard);
                                    tasks.push_back(std::move(task));
                                  });
  ASSERT_TRUE(news);
  (void)count().set(3).value();
  EXPECT_TRUE(eventually([&] {
    std::scoped_lock lock(guard);
    return !tasks.empty();
  }));
  EXPECT_EQ(told, 0);
  std::scoped_lock lock(guard);
  tasks.front()();
  EXPECT_EQ(told, 3);
}

TEST_P(SharedCounts, CanBeCancelledByWhatTheyTell) {
  auto one = count();
  std::atomic<int> told{0};
  Subscription news;
  std::mutex guard;
  guard.lock();
  news = one.on_change([&](const Versioned&) {
              std::scoped_lock lock(guard);
              news.cancel();
              ++told;
            })
             .value();
  guard.unlock();
  auto other = count();
  (void)other.set(1).value();
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  (void)other.set(2).value();
  EXPECT_TRUE(
      throughout(scaled(std::chrono::milliseconds(30)), [&] { return told == 1; }));
}

TEST_P(SharedCounts, MayEndBeforeTheirNews) {
  std::atomic<std::int64_t> told{0};
  Subscription news;
  {
    auto one = count();
    news = one.on_change([&](const Versioned& now) { told = now.number; }).value();
  }
  (void)count().set(4).value();
  EXPECT_TRUE(eventually([&] { return told == 4; }));
}

class SharedCountRestarts : public SharedCounts {};
HOLDFAST_CONFORMANCE(SharedCountRestarts);

TEST_P(SharedCountRestarts, LoseNeitherNumberNorVersionNorNews) {
  auto one = count();
  const Versioned seen = one.set(5).value();
  std::atomic<std::int64_t> told{0};
  const auto news =
      one.on_change([&](const Versioned& now) { told = now.number; }).value();
  ASSERT_TRUE(engine().restart());
  EXPECT_EQ(one.get().value(), seen);
  EXPECT_TRUE(one.compare_exchange(seen, 6).value().done);
  EXPECT_TRUE(eventually([&] { return told == 6; }));
}

}  // namespace
}  // namespace holdfast::test

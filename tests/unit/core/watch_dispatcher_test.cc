// SPDX-License-Identifier: Apache-2.0

#include "core/watch_dispatcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <optional>

#include "core/client_state.h"
#include "holdfast/election.h"
#include "holdfast/shared_count.h"
#include "support/eventually.h"
#include "support/scale.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

class WatchDispatcherTest : public testing::Test {
 protected:
  Subscription listen(SharedCount& to) {
    return to.on_change([this](const Versioned& now) { told = now.number; }).value();
  }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(Sort::leased);
  Client client = test::join(world);
  SharedCount count{client, "a"};
  std::atomic<std::int64_t> told{0};
};

TEST_F(WatchDispatcherTest, AnEngineThatDoesNotAnswerIsAskedAgain) {
  SharedCount hasty(test::join(world, 20ms), "a");
  world->faults.unreachable = true;
  EXPECT_FALSE(hasty.on_change([](const Versioned&) {}));
  world->faults.unreachable = false;
  const auto news = listen(count);
  world->faults.lose_replies = 3;
  (void)count.set(5);
  EXPECT_TRUE(eventually([&] { return told == 5; }));
}

TEST_F(WatchDispatcherTest, AnEngineThatThrowsIsAskedAgain) {
  const auto news = listen(count);
  const auto other = world->server.join({});
  world->faults.throws = 3;
  (void)world->server.add(other, {engine::Kind::shared_count, "a"}, 5,
                          engine::Ticket{1});
  EXPECT_TRUE(eventually([&] { return told == 5; }));
  EXPECT_EQ(world->faults.throws, 0);
}

// The leader's lease ends at the engine, which rings for none of its watches.
TEST_F(WatchDispatcherTest, LooksAgainThoughNothingRings) {
  told = -1;
  Election election(client, "lead");
  const auto news =
      election.observe([this](const auto& leader) { told = leader ? 1 : 0; }).value();
  ASSERT_TRUE(eventually([&] { return told == 0; }));
  const auto other = world->server.join({});
  const auto elected = world->server.attempt(
      other, {engine::Kind::election, "lead"},
      {.ticket = engine::Ticket{1}, .lease = test::scaled(1s)}, nullptr);
  ASSERT_TRUE(elected);
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  EXPECT_TRUE(eventually([&] { return told == 0; }));
}

// A listener that cannot be copied while there is no memory.
class ListenerShortOfMemory {
 public:
  ListenerShortOfMemory(std::atomic<std::int64_t>& told, std::atomic<int>& refusals)
      : told_(&told), refusals_(&refusals) {}
  ListenerShortOfMemory(const ListenerShortOfMemory& other)
      : told_(other.told_), refusals_(other.refusals_) {
    if (refusals_->load() > 0 && refusals_->fetch_sub(1) > 0) throw std::bad_alloc();
  }
  ListenerShortOfMemory& operator=(const ListenerShortOfMemory&) = delete;
  void operator()(const Versioned& now) const { *told_ = now.number; }
  void operator()(const std::optional<Leader>& leader) const {
    *told_ = leader ? 1 : 0;
  }

 private:
  std::atomic<std::int64_t>* told_;
  std::atomic<int>* refusals_;
};

TEST_F(WatchDispatcherTest, NewsForWhichThereWasNoMemoryAreTold) {
  std::atomic<int> refusals{0};
  const auto news = count.on_change(ListenerShortOfMemory(told, refusals)).value();
  refusals = 1;
  (void)count.set(5).value();
  EXPECT_TRUE(eventually([&] { return told == 5; }));
  EXPECT_EQ(refusals, 0);
}

TEST_F(WatchDispatcherTest, ALeaderForWhomThereWasNoMemoryIsTold) {
  told = -1;
  std::atomic<int> refusals{0};
  Election election(client, "lead");
  const auto news = election.observe(ListenerShortOfMemory(told, refusals)).value();
  ASSERT_TRUE(eventually([&] { return told == 0; }));
  refusals = 1;
  ASSERT_TRUE(election.campaign("here"));
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  EXPECT_EQ(refusals, 0);
}

TEST_F(WatchDispatcherTest, NewsThatAnExecutorCouldNotTakeAreTold) {
  int refusals = 1;
  const auto news = count
                        .on_change([this](const Versioned& now) { told = now.number; },
                                   [&](const std::function<void()>& task) {
                                     if (refusals-- > 0) throw std::bad_alloc();
                                     task();
                                   })
                        .value();
  (void)count.set(5).value();
  EXPECT_TRUE(eventually([&] { return told == 5; }));
}

TEST_F(WatchDispatcherTest, NothingIsToldAfterTheClientWasClosed) {
  const auto news = listen(count);
  client.close();
  (void)SharedCount(test::join(world), "a").set(5);
  EXPECT_EQ(told, 0);
}

TEST_F(WatchDispatcherTest, EachSubscriberIsToldOfItsOwnResource) {
  SharedCount other(client, "b");
  std::atomic<int> others{0};
  const auto news = listen(count);
  const auto more = other.on_change([&](const Versioned&) { ++others; }).value();
  const auto twice = listen(count);
  (void)count.set(5).value();
  EXPECT_TRUE(eventually([&] { return told == 5; }));
  EXPECT_EQ(others, 0);
  (void)other.set(1).value();
  EXPECT_TRUE(eventually([&] { return others == 1; }));
}

TEST_F(WatchDispatcherTest, CancelWaitsForARunningCallback) {
  std::atomic<bool> inside{false};
  std::atomic<bool> over{false};
  std::atomic<bool> go{false};
  auto news = count
                  .on_change([&](const Versioned&) {
                    inside = true;
                    EXPECT_TRUE(eventually([&] { return go.load(); }));
                    over = true;
                  })
                  .value();
  (void)count.set(5).value();
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  std::jthread release([&] {
    EXPECT_FALSE(over);
    go = true;
  });
  news.cancel();
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace holdfast::core

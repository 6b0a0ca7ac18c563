// SPDX-License-Identifier: Apache-2.0

// There are a thousand holds, and one thing is stuck: a call to the engine, a callback
// or a subscriber. All other holds are renewed, and every loss is told when its lease
// is over.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/client_options.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_count.h"
#include "support/eventually.h"
#include "support/wakeup_latency.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;
using test::Sort;
using test::WakeupLatency;

// A hold, its deadline, and the time when its loss was told.
struct Told {
  Told(
      const Client& client, const std::string& name, const LeaseOptions& lease,
      std::function<void()> then = [] {})
      : mutex(client, name, lease),
        hold(mutex.acquire().value()),
        deadline(Clock::now() + hold.valid_for()),
        on_loss(hold.lost(), [this, also = std::move(then)] {
          at = Clock::now().time_since_epoch().count();
          also();
        }) {}

  bool told() const { return at != 0; }
  Clock::duration late() const {
    return Clock::duration(at) - deadline.time_since_epoch();
  }

  Mutex mutex;
  Hold hold;
  Clock::time_point deadline;
  std::atomic<Clock::rep> at{0};
  std::stop_callback<std::function<void()>> on_loss;
};

class ToldInTimeTest : public testing::Test {
 protected:
  static constexpr int kHolds = 1000;

  std::vector<std::unique_ptr<Told>> take(const LeaseOptions& lease) {
    std::vector<std::unique_ptr<Told>> holds;
    for (int i = 0; i < kHolds; ++i) {
      const auto name = "hold-" + std::to_string(i);
      holds.push_back(std::make_unique<Told>(client, name, lease));
    }
    return holds;
  }

  // Three threads take part one after the other, and each may be woken late.
  void expect_in_time(Clock::duration latest) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const Clock::duration machine = latency.worst();
    std::cout << "[ told     ] " << Milliseconds(latest).count()
              << " ms after the deadline, where a thread wakes up as late as "
              << Milliseconds(machine).count() << " ms\n";
    EXPECT_LE(latest, scaled(50ms) + 3 * machine);
  }

  // Expects that all of them are lost and were told of it in time.
  void expect_all_told(const std::vector<std::unique_ptr<Told>>& holds) {
    Clock::duration latest{};
    for (const auto& each : holds) {
      ASSERT_TRUE(eventually([&] { return each->told(); }));
      EXPECT_GE(each->late(), 0ms);
      latest = std::max(latest, each->late());
    }
    expect_in_time(latest);
  }

  const std::shared_ptr<test::FakeWorld> world =
      test::make_world(Sort::leased_with_gate);
  Client client = test::join(world, scaled(4s));
  WakeupLatency latency;
};

TEST_F(ToldInTimeTest, BesideAnEngineCallThatIsStuck) {
  world->block.begin("hold-500");
  auto holds = take({});
  Told& stuck = *holds[500];
  ASSERT_TRUE(eventually([&] { return world->block.inside() > 0; }));
  const Told late(client, "taken meanwhile", {.ttl = scaled(400ms)});

  ASSERT_TRUE(eventually([&] { return stuck.told(); }));
  expect_in_time(stuck.late());
  EXPECT_FALSE(stuck.hold.valid());
  const auto end = Clock::now() + scaled(1s);
  ASSERT_TRUE(eventually([&] { return Clock::now() >= end; }));
  EXPECT_TRUE(late.hold.valid() && !late.told());
  for (const auto& each : holds) {
    if (each.get() == &stuck) continue;
    EXPECT_TRUE(each->hold.valid() && !each->told());
  }
  EXPECT_GT(world->block.inside(), 0) << "the call was not stuck all the time";
  world->block.let_go();
}

TEST_F(ToldInTimeTest, BesideACallbackThatBlocks) {
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  const Told blocking(client, "blocking", LeaseOptions::fixed(scaled(50ms)), [&] {
    inside = true;
    EXPECT_TRUE(eventually([&] { return go.load(); }));
  });
  const auto holds = take(LeaseOptions::fixed(scaled(500ms)));
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  expect_all_told(holds);
  go = true;
}

TEST_F(ToldInTimeTest, BesideASubscriberThatBlocks) {
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  SharedCount count(client, "count");
  const auto news = count
                        .on_change([&](const Versioned&) {
                          inside = true;
                          EXPECT_TRUE(eventually([&] { return go.load(); }));
                        })
                        .value();
  ASSERT_TRUE(count.set(1));
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  expect_all_told(take(LeaseOptions::fixed(scaled(500ms))));
  go = true;
}

// The log may be a full pipe, for example.
TEST_F(ToldInTimeTest, BesideALogThatBlocks) {
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  ClientOptions options;
  options.ttl = scaled(400ms);
  options.log = [&](LogLevel, std::string_view) {
    inside = true;
    EXPECT_TRUE(eventually([&] { return go.load(); }));
  };
  Client chatty =
      Client::over(std::make_unique<test::FakeEngine>(world), options).value();
  const Told told(chatty, "a", {});
  world->faults.unreachable = true;
  ASSERT_TRUE(eventually([&] { return told.told(); }));
  EXPECT_TRUE(inside);
  expect_in_time(told.late());
  world->faults.unreachable = false;
  go = true;
}

}  // namespace
}  // namespace holdfast::core

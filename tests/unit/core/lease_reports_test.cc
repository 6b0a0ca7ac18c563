// SPDX-License-Identifier: Apache-2.0

// The renewer reports to the log and to the metrics.

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/access.h"
#include "core/client_state.h"
#include "fake_clock.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

TEST(LeaseLogTest, WarnsOnceInAWhile) {
  test::FakeClock clock;
  const auto world = test::make_world(Sort::leased);
  std::mutex mutex;
  std::vector<std::string> lines;
  ClientOptions options;
  options.log = [&](LogLevel level, std::string_view line) {
    EXPECT_EQ(level, LogLevel::warning);
    const std::lock_guard lock(mutex);
    lines.emplace_back(line);
  };
  Client client =
      Client::over(std::make_unique<test::FakeEngine>(world), options).value();
  Mutex held(client, "a");
  held.lock();
  world->faults.unreachable = true;
  for (int i = 1; i <= 4; ++i) {
    clock.advance(i == 1 ? 10s : 1s);
    Access::state(client)->renewer().wake();
    ASSERT_TRUE(eventually([&] { return world->calls.renew >= i; }));
  }
  world->faults.unreachable = false;
  client.close();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find("the lease of \"a\" could not be renewed: "), 0u) << lines[0];
  EXPECT_NE(lines[0].find("; this is repeated until the lease is over"),
            std::string::npos)
      << lines[0];
}

struct Counting : Metrics {
  void acquired(std::string_view, std::chrono::nanoseconds) override { ++acquisitions; }
  void not_acquired(std::string_view, std::error_code) override { ++refusals; }
  void released(std::string_view) override { ++releases; }
  void expired(std::string_view) override { ++expirations; }
  void lost(std::string_view) override { ++losses; }
  void renewed(std::size_t claims, std::chrono::nanoseconds left) override {
    renewals += static_cast<int>(claims);
    slack = left.count();
  }
  std::atomic<int> acquisitions{0}, refusals{0}, releases{0}, renewals{0};
  std::atomic<int> expirations{0}, losses{0};
  std::atomic<std::int64_t> slack{0};
};

TEST(LeaseMetricsTest, CountsWhatHappens) {
  test::FakeClock clock;
  Counting counting;
  for (const Sort sort : {Sort::leased_with_gate, Sort::leased, Sort::plain}) {
    const auto world = test::make_world(sort);
    Client client = test::join(world, 30s, &counting);
    Mutex mutex(client, "a");
    mutex.lock();
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock();
  }
  EXPECT_EQ(counting.acquisitions, 3);
  EXPECT_EQ(counting.refusals, 3);
  EXPECT_EQ(counting.releases, 3);

  const auto world = test::make_world(Sort::leased);
  Client client = test::join(world, 30s, &counting);
  Mutex mutex(client, "a");
  const auto hold = mutex.acquire().value();
  clock.advance(10s);
  Access::state(client)->renewer().wake();
  ASSERT_TRUE(eventually([&] { return counting.renewals == 1; }));
  EXPECT_EQ(counting.slack, std::chrono::nanoseconds(20s - 302ms).count());
  test::evict(world, "a");
  EXPECT_TRUE(eventually([&] { return counting.losses == 1; }));
  EXPECT_EQ(counting.expirations, 0);
}

TEST(LeaseMetricsTest, TellAnAgreedEndFromALoss) {
  test::FakeClock clock;
  Counting counting;
  const auto world = test::make_world(Sort::leased);
  Client client = test::join(world, 30s, &counting);
  const auto pass = [&](std::chrono::seconds span) {
    clock.advance(span);
    Access::state(client)->renewer().wake();
  };

  const auto fixed = Mutex(client, "a", LeaseOptions::fixed(10s)).acquire().value();
  pass(10s);
  EXPECT_TRUE(eventually([&] { return counting.expirations == 1; }));

  const auto capped = Mutex(client, "b", {.cap = 5s}).acquire().value();
  pass(5s);
  EXPECT_TRUE(eventually([&] { return counting.expirations == 2; }));
  EXPECT_EQ(counting.losses, 0);

  const auto renewed = Mutex(client, "c", {.cap = 1h}).acquire().value();
  world->faults.unreachable = true;
  pass(30s);
  EXPECT_TRUE(eventually([&] { return counting.losses == 1; }));
  EXPECT_EQ(counting.expirations, 2);
}

}  // namespace
}  // namespace holdfast::core

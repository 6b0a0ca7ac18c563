// SPDX-License-Identifier: Apache-2.0

// Many asynchronous waiters on one name, which are cancelled at random moments while
// others are granted: no two hold at once, each is told once, and nothing stays behind.

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class AsyncStorm : public Conformance {
 protected:
  // Where a hand-over costs several round trips, fewer waiters show the same.
  std::size_t waiters() const {
    const std::string_view engine = GetParam().engine->name;
    const bool quick = engine == "local" || engine == "redis" || engine == "fake";
    return quick ? 10'000 : 300;
  }
};
HOLDFAST_CONFORMANCE(AsyncStorm);

TEST_P(AsyncStorm, LeavesNothingBehind) {
  const std::size_t all = waiters();
  const Client ours = open();
  const Client theirs = open();
  Mutex mutex(ours, name("a"));
  Mutex other(theirs, name("a"));
  std::vector<std::stop_source> stops(all);
  std::atomic<int> inside{0};
  std::atomic<std::size_t> granted{0};
  std::atomic<std::size_t> told{0};  // that they were cancelled, or that they released
  // Another thread releases, so that each hold lasts for a while.
  std::mutex guard;
  std::condition_variable_any changed;
  std::vector<holdfast::Hold> holds;
  const std::jthread releaser([&](const std::stop_token& ended) {
    std::unique_lock lock(guard);
    while (changed.wait(lock, ended, [&] { return !holds.empty(); })) {
      holdfast::Hold hold = std::move(holds.back());
      holds.pop_back();
      inside.fetch_sub(1);
      hold.release_async([&](Result<void> released) {
        EXPECT_TRUE(released) << released.error().message();
        ++told;
      });
    }
  });
  std::mt19937 random(20);
  for (std::size_t i = 0; i < all; ++i) {
    (i % 10 == 0 ? other : mutex)
        .acquire_async(
            {.stop = stops[i].get_token()}, [&](Result<holdfast::Hold> hold) {
              if (hold) {
                EXPECT_EQ(inside.fetch_add(1), 0) << "two hold it at once";
                ++granted;
                const std::scoped_lock lock(guard);
                holds.push_back(*std::move(hold));
                changed.notify_one();
              } else {
                EXPECT_EQ(hold.error(), Errc::cancelled) << hold.error().message();
                ++told;
              }
            });
    for (int stop = 0; stop < 2; ++stop) stops[random() % (i + 1)].request_stop();
  }
  for (std::size_t i = 0; i < all; ++i) {
    if (i % 16 != 0) stops[i].request_stop();
  }
  EXPECT_TRUE(eventually([&] { return told == all; }, scaled(60s)));
  EXPECT_GT(granted, 0u);
  EXPECT_TRUE(eventually([&] {
    return survey(ours, {engine::Kind::mutex, name("a")}).empty();
  }));
}

}  // namespace
}  // namespace holdfast::test

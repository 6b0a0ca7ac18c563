// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/transport/xids.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace holdfast::zookeeper {
namespace {

// The library's counter, as it is written there.
class LibraryCounter {
 public:
  explicit LibraryCounter(XidCounter::Start start)
      : start_(start), next_(static_cast<std::uint32_t>(-1)) {}
  LibraryCounter(XidCounter::Start start, std::int32_t next)
      : start_(start), next_(static_cast<std::uint32_t>(next)) {}

  std::int32_t take() {
    if (static_cast<std::int32_t>(next_) == -1) next_ = start_();
    return static_cast<std::int32_t>(next_++);
  }
  void skip() {
    (void)take();
    ++skipped_;
  }
  int skipped() const { return skipped_; }

 private:
  const XidCounter::Start start_;
  std::uint32_t next_;
  int skipped_ = 0;
};

// The protocol gives a meaning to -1, -2, -4 and -8.
bool is_special(std::int32_t number) { return number >= -8 && number < 0; }

std::uint32_t far_away() noexcept { return 1'800'000'000; }
std::uint32_t shortly_before() noexcept { return static_cast<std::uint32_t>(-1000); }

std::atomic<std::uint32_t> g_first{0};
std::uint32_t here_and_then_far_away() noexcept { return g_first.exchange(far_away()); }

// The counter of a process that has run for long.
XidCounter counter_at(std::int32_t first) {
  g_first = static_cast<std::uint32_t>(first);
  return XidCounter(here_and_then_far_away);
}

TEST(ZookeeperXids, AreLeftAloneWhileTheyAreFarAway) {
  LibraryCounter library(far_away);
  XidCounter counter(far_away);
  for (int i = 0; i < 10'000; ++i) {
    counter.take([&] { library.skip(); });
    EXPECT_EQ(library.take(), 1'800'000'000 + i);
  }
  EXPECT_EQ(library.skipped(), 0);
}

// As often as the counter comes there.
TEST(ZookeeperXids, AreMovedPastThoseThatMeanSomethingElseEachTime) {
  LibraryCounter library(shortly_before);
  XidCounter counter(shortly_before);
  int first_time = 0;
  for (int i = 0; i < 400'000; ++i) {
    counter.take([&] { library.skip(); });
    const std::int32_t number = library.take();
    ASSERT_FALSE(is_special(number)) << "request " << i << " has " << number;
    if (first_time == 0 && library.skipped() > 0) first_time = i;
  }
  EXPECT_EQ(first_time, 1000 - 256) << "no number is skipped before it must be";
  EXPECT_GE(library.skipped(), 500 * 255) << "it comes there again and again";
}

TEST(ZookeeperXids, AreMovedPastThemAlsoWhereRequestsAreCountedAndNotMadeYet) {
  constexpr std::int32_t kLate = 60;
  LibraryCounter library(far_away, -256 - kLate);
  XidCounter counter = counter_at(-256 - kLate);
  for (int i = 0; i <= kLate; ++i) {
    EXPECT_EQ(library.skipped(), 0);
    counter.take([&] { library.skip(); });
  }
  EXPECT_GT(library.skipped(), 0);
  for (int i = 0; i <= kLate; ++i) EXPECT_FALSE(is_special(library.take())) << i;
}

// A thread may have counted its request while another one moves the counter.
TEST(ZookeeperXids, AreMovedPastThemForEveryThread) {
  constexpr int kThreads = 16;
  LibraryCounter library(far_away, -256);
  XidCounter counter = counter_at(-256);
  std::atomic<int> counted{0};
  {
    // The first to come waits in `skip_one` until all the others have counted.
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        ++counted;
        counter.take([&] {
          while (counted < kThreads) std::this_thread::yield();
          library.skip();
        });
      });
    }
  }
  for (int i = 0; i < kThreads; ++i) {
    const std::int32_t number = library.take();
    EXPECT_FALSE(is_special(number)) << "request " << i << " has " << number;
  }
}

}  // namespace
}  // namespace holdfast::zookeeper

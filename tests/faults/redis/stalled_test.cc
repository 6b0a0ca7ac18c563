// SPDX-License-Identifier: Apache-2.0

// Many asynchronous calls end while the server does not answer: none of them waits for
// the others.

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "faults/redis/ground.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

// One by one, or eight at a time, they would take much longer than kLongest.
constexpr int kWaiters = 80;
const auto kTtl = scaled(1200ms);
const auto kLongest = kTtl;  // three times as long as one call

class RedisStalled : public OnRedis {
 protected:
  struct Told {
    std::atomic<int> all{0};
    std::atomic<int> as_expected{0};
  };

  // A waiter that has asked again meanwhile says that the server does not answer.
  static bool matches(const Failure& why, Errc expected) {
    if (expected == Errc::timed_out && why.code == Errc::unavailable) return true;
    return why.code == expected;
  }

  // Stops the server when all of them wait there.
  void wait_for_all(Timeout wait, Errc expected) {
    for (int i = 0; i < kWaiters; ++i) {
      holds_.push_back(Mutex(theirs_, name(i)).acquire().value());
    }
    for (int i = 0; i < kWaiters; ++i) {
      Mutex(*ours_, name(i))
          .acquire_async({.wait = wait, .stop = stop_.get_token()},
                         [told = told_, expected](const Result<Hold>& hold) {
                           const bool so = !hold && matches(hold.error(), expected);
                           if (so) ++told->as_expected;
                           ++told->all;
                         });
    }
    EXPECT_TRUE(has_each(2));
    server_.pause();
    ASSERT_EQ(told_->all, 0) << "the machine is too slow for this test";
  }
  // Whether each name has so many claims, or soon will.
  bool has_each(std::size_t claims) const {
    for (int i = 0; i < kWaiters; ++i) {
      const auto queue = theirs_.session().bind({Kind::mutex, name(i)}).value();
      const bool met = eventually([&] {
        const auto seen = queue->survey(claims + 1, Clock::now() + patience());
        return seen && seen->size() == claims;
      });
      if (!met) return false;
    }
    return true;
  }
  void expect_told_within(std::chrono::milliseconds limit) const {
    EXPECT_TRUE(eventually([this] { return told_->all == kWaiters; }, limit))
        << told_->all << " were told";
    EXPECT_TRUE(eventually([this] { return told_->all == kWaiters; }));
    EXPECT_EQ(told_->as_expected, kWaiters);
  }
  void expect_nothing_left() {
    server_.resume();
    EXPECT_TRUE(has_each(1));
  }
  static std::string name(int i) { return "stalled-" + std::to_string(i); }

  const std::shared_ptr<Told> told_ = std::make_shared<Told>();
  const Client theirs_ = open_directly(scaled(600s));
  std::unique_ptr<Client> ours_ = std::make_unique<Client>(open_directly(kTtl));
  std::stop_source stop_;
  std::vector<Hold> holds_;
};

TEST_F(RedisStalled, CancelledCallsAreToldTogether) {
  wait_for_all(Timeout::forever(), Errc::cancelled);
  stop_.request_stop();
  expect_told_within(kLongest);
  expect_nothing_left();
}

TEST_F(RedisStalled, CallsThatTimeOutAreToldTogether) {
  const auto wait = scaled(1500ms);
  wait_for_all(wait, Errc::timed_out);
  expect_told_within(wait + kLongest);
  expect_nothing_left();
}

TEST_F(RedisStalled, CallsOfAClosedClientAreToldTogether) {
  wait_for_all(Timeout::forever(), Errc::closed);
  std::jthread closing([this] { ours_->close(); });
  expect_told_within(kLongest);
  server_.resume();
  closing.join();
  expect_nothing_left();
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/wakeups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/eventually.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using engine::Ticket;

// A channel stays subscribed without subscribers, as the one of a server does for a few
// seconds.
class FakeChannels final : public Channels {
 public:
  bool is_subscribed(const std::string& channel) const override {
    std::scoped_lock lock(mutex_);
    return subscribers_.contains(channel);
  }
  Result<void> subscribe(const std::string& channel,
                         std::shared_ptr<ChannelListener> subscriber,
                         engine::Deadline) override {
    std::scoped_lock lock(mutex_);
    if (throws) throw std::bad_alloc();
    auto& all = subscribers_[channel];
    if (std::ranges::find(all, subscriber) == all.end()) all.push_back(subscriber);
    return {};
  }
  void unsubscribe(const std::string& channel,
                   const ChannelListener& subscriber) noexcept override {
    std::scoped_lock lock(mutex_);
    ++unsubscribed_;
    std::erase_if(subscribers_[channel],
                  [&](const auto& each) { return each.get() == &subscriber; });
  }

  std::size_t subscribers(const std::string& channel) {
    std::scoped_lock lock(mutex_);
    return subscribers_[channel].size();
  }
  int unsubscribed() const {
    std::scoped_lock lock(mutex_);
    return unsubscribed_;
  }
  bool throws = false;  // `subscribe` throws std::bad_alloc.

  void publish(const std::string& channel, const std::string& message) {
    std::scoped_lock lock(mutex_);
    for (const auto& each : subscribers_[channel]) each->on_message(message);
  }

 private:
  mutable std::mutex mutex_;
  int unsubscribed_ = 0;  // how many calls
  std::map<std::string, std::vector<std::shared_ptr<ChannelListener>>> subscribers_;
};

struct CountingSignal final : engine::Signal {
  void ring() noexcept override { ++rings; }
  void wait(Clock::time_point) noexcept override {}
  int rings = 0;
};

class RedisSessionChannels : public testing::Test {
 protected:
  static constexpr Slot kSlot = 7;
  static constexpr const char* kChannel = "session:7:client";

  void wait(std::uint64_t ticket) {
    waiters_.add(kSlot, Ticket{ticket}, signal_, Clock::now() + 1s);
  }
  bool is_kept() { return channels_.subscribers(kChannel) > 0; }

  FakeChannels channels_;
  std::shared_ptr<CountingSignal> signal_ = std::make_shared<CountingSignal>();
  Waiters waiters_{channels_, "client",
                   [](Slot slot) { return "session:" + std::to_string(slot) + ":"; },
                   nullptr};
};

TEST(RedisWatchTest, UnsubscribesOnceAtItsEnd) {
  const auto channels = std::make_shared<FakeChannels>();
  auto watch = watch_channel(channels, "news", std::make_shared<CountingSignal>(),
                             Clock::now() + 1s);
  ASSERT_TRUE(watch);
  EXPECT_EQ(channels->unsubscribed(), 0);
  EXPECT_EQ(channels->subscribers("news"), 1u);
  watch = engine::Watch{};
  EXPECT_EQ(channels->unsubscribed(), 1);
  EXPECT_EQ(channels->subscribers("news"), 0u);
}

TEST_F(RedisSessionChannels, AreKeptAsLongAsAWaiterIsThere) {
  wait(1);
  wait(2);
  waiters_.remove(kSlot, Ticket{1});
  waiters_.sweep(Clock::now() + 24h);
  EXPECT_TRUE(is_kept());
}

TEST_F(RedisSessionChannels, WakeTheTicketThatAMessageNames) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  for (const std::uint64_t ticket : {std::uint64_t{7}, kLargest}) wait(ticket);
  channels_.publish(kChannel, "7");
  EXPECT_EQ(signal_->rings, 1);
  channels_.publish(kChannel, "-7");
  EXPECT_EQ(signal_->rings, 2) << "an operator has ended it";
  channels_.publish(kChannel, "-9223372036854775808");
  EXPECT_EQ(signal_->rings, 3);
  for (const char* foreign : {"", "-", "x", "-9223372036854775809", "8"}) {
    channels_.publish(kChannel, foreign);
  }
  EXPECT_EQ(signal_->rings, 3);
}

TEST_F(RedisSessionChannels, AreKeptForAWhileAfterTheLastWaiter) {
  wait(1);
  waiters_.remove(kSlot, Ticket{1});
  waiters_.sweep(Clock::now() + Waiters::kKept / 2);
  EXPECT_TRUE(is_kept());
  EXPECT_TRUE(waiters_.is_subscribed(kSlot, ""));
  waiters_.sweep(Clock::now() + Waiters::kKept + 1s);
  EXPECT_FALSE(is_kept());
}

TEST_F(RedisSessionChannels, AreKeptForTheLeaseOfAHold) {
  waiters_.subscribe_session(kSlot, engine::Deadline{}, 600s);
  waiters_.sweep(Clock::now() + 590s);
  EXPECT_TRUE(is_kept());
  waiters_.subscribe_session(kSlot, engine::Deadline{}, 1200s);
  waiters_.sweep(Clock::now() + 1190s);
  EXPECT_TRUE(is_kept()) << "it was renewed";
  waiters_.sweep(Clock::now() + 1201s);
  EXPECT_FALSE(is_kept());
}

TEST_F(RedisSessionChannels, AreSubscribedAnewAfterTheyWereGivenBack) {
  wait(1);
  waiters_.remove(kSlot, Ticket{1});
  waiters_.sweep(Clock::now() + 24h);
  EXPECT_FALSE(waiters_.is_subscribed(kSlot, "")) << "no message would arrive";
  wait(2);
  EXPECT_TRUE(waiters_.is_subscribed(kSlot, ""));
  channels_.publish(kChannel, "2");
  EXPECT_EQ(signal_->rings, 1);
}

TEST_F(RedisSessionChannels, AreSubscribedLaterIfThereWasNoMemory) {
  channels_.throws = true;
  waiters_.subscribe_session(kSlot, engine::Deadline{}, 1ms);
  EXPECT_FALSE(waiters_.is_subscribed(kSlot, ""));
  channels_.throws = false;
  waiters_.subscribe_session(kSlot, engine::Deadline{}, 1ms);
  EXPECT_TRUE(waiters_.is_subscribed(kSlot, ""));
  waiters_.sweep(Clock::now() + 1s);
  EXPECT_FALSE(is_kept()) << "the call that failed still counts as a user";
}

TEST_F(RedisSessionChannels, AreGivenBackWhenFurtherSlotsAreUsed) {
  waiters_.subscribe_session(kSlot, engine::Deadline{}, 1ms);
  Slot further = kSlot;
  EXPECT_TRUE(test::eventually([&] {
    waiters_.subscribe_session(++further, engine::Deadline{}, 600s);
    return !is_kept();
  }));
}

// A waiter that has been added hears, whatever is given back at that moment.
TEST_F(RedisSessionChannels, AreNotGivenBackUnderAWaiter) {
  std::atomic<int> not_kept{0};
  {
    std::jthread sweeper([&](const std::stop_token& over) {
      while (!over.stop_requested()) waiters_.sweep(Clock::now() + 24h);
    });
    const auto wait_often = [&](std::uint64_t ticket) {
      for (int i = 0; i < 1000; ++i) {
        wait(ticket);
        if (!is_kept()) ++not_kept;
        waiters_.remove(kSlot, Ticket{ticket});
      }
    };
    const std::jthread one(wait_often, 1);
    const std::jthread other(wait_often, 2);
  }
  EXPECT_EQ(not_kept, 0);
  waiters_.sweep(Clock::now() + 24h);
  EXPECT_EQ(channels_.subscribers(kChannel), 0u) << "one was forgotten";
}

}  // namespace
}  // namespace holdfast::redis

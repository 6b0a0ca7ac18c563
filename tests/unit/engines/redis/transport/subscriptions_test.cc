// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/subscriptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/redis/transport/command.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct RecordingListener : ChannelListener {
  void on_message(std::string_view message) noexcept override {
    prefixes.emplace_back(message);
  }
  void on_gap() noexcept override { ++gaps; }
  std::vector<std::string> prefixes;
  int gaps = 0;
};

std::string spelt(std::string_view command, const std::string& channel) {
  std::string out;
  Command(out, 2).add(command).add(channel);
  return out;
}

class RedisSubscriptionsTest : public testing::Test {
 protected:
  Result<void> say(const std::string& bytes) {
    ReplyReader reader;
    EXPECT_TRUE(reader.feed(bytes));
    return subscriptions_.handle((**reader.next()).view());
  }
  void confirm(const std::string& channel) {
    std::string out;
    Command(out, 3).add("subscribe").add(channel).add("1");
    EXPECT_TRUE(say(out));
  }
  void publish(const std::string& channel, const std::string& word) {
    std::string out;
    Command(out, 3).add("message").add(channel).add(word);
    EXPECT_TRUE(say(out));
  }
  std::string taken() { return std::exchange(out_, {}); }

  Subscriptions subscriptions_{{.called = "Redis at 10.0.0.1:6379"}};
  std::string out_;
  Clock::time_point now_{1h};
  std::shared_ptr<RecordingListener> one_ = std::make_shared<RecordingListener>();
  std::shared_ptr<RecordingListener> other_ = std::make_shared<RecordingListener>();
};

TEST_F(RedisSubscriptionsTest, HearsAfterTheServerConfirmed) {
  subscriptions_.add("a", one_, out_);
  EXPECT_EQ(taken(), spelt("SUBSCRIBE", "a"));
  EXPECT_FALSE(subscriptions_.is_confirmed("a"));
  confirm("a");
  EXPECT_TRUE(subscriptions_.is_confirmed("a"));
  publish("a", "0");
  publish("b", "1");
  EXPECT_THAT(one_->prefixes, ElementsAre("0"));
  EXPECT_EQ(one_->gaps, 0);
}

TEST_F(RedisSubscriptionsTest, SeveralShareAChannel) {
  subscriptions_.add("a", one_, out_);
  subscriptions_.add("a", other_, out_);
  EXPECT_EQ(taken(), spelt("SUBSCRIBE", "a"));
  confirm("a");
  subscriptions_.remove("a", *one_, now_, out_);
  publish("a", "x");
  EXPECT_THAT(one_->prefixes, IsEmpty());
  EXPECT_THAT(other_->prefixes, ElementsAre("x"));
  EXPECT_EQ(taken(), "");
}

TEST_F(RedisSubscriptionsTest, AChannelStaysForAWhile) {
  subscriptions_.add("a", one_, out_);
  confirm("a");
  taken();
  subscriptions_.remove("a", *one_, now_, out_);
  subscriptions_.sweep(now_ + 1s, out_);
  EXPECT_TRUE(subscriptions_.is_confirmed("a"));

  subscriptions_.add("a", one_, out_);
  subscriptions_.sweep(now_ + 1h, out_);
  EXPECT_EQ(taken(), "");

  subscriptions_.remove("a", *one_, now_ + 1h, out_);
  subscriptions_.sweep(now_ + 1h + Subscriptions::kIdle, out_);
  EXPECT_EQ(taken(), spelt("UNSUBSCRIBE", "a"));
  EXPECT_FALSE(subscriptions_.is_confirmed("a"));
}

TEST_F(RedisSubscriptionsTest, IdleChannelsAreNotTooMany) {
  for (std::size_t i = 0; i <= Subscriptions::kMostIdle; ++i) {
    const std::string name = "c" + std::to_string(i);
    subscriptions_.add(name, one_, out_);
    confirm(name);
    taken();
    subscriptions_.remove(name, *one_, now_, out_);
  }
  EXPECT_EQ(taken(), spelt("UNSUBSCRIBE", "c0"));
  EXPECT_TRUE(subscriptions_.is_confirmed("c1"));
}

TEST_F(RedisSubscriptionsTest, AnUnconfirmedChannelIsNotLeft) {
  subscriptions_.add("a", one_, out_);
  taken();
  subscriptions_.remove("a", *one_, now_, out_);
  subscriptions_.sweep(now_ + 1h, out_);
  EXPECT_EQ(taken(), "");
  confirm("a");
  subscriptions_.sweep(now_ + 1h, out_);
  EXPECT_EQ(taken(), spelt("UNSUBSCRIBE", "a"));
}

TEST_F(RedisSubscriptionsTest, AfterABreakEverythingIsAskedAgainAndAGapIsTold) {
  subscriptions_.add("a", one_, out_);
  confirm("a");
  subscriptions_.add("b", other_, out_);
  taken();
  subscriptions_.broke();
  EXPECT_FALSE(subscriptions_.is_confirmed("a"));
  EXPECT_EQ(one_->gaps, 0);

  subscriptions_.begin_again(out_);
  const bool a_first = out_.find("$1\r\na") < out_.find("$1\r\nb");
  EXPECT_EQ(taken(), a_first ? spelt("SUBSCRIBE", "a") + spelt("SUBSCRIBE", "b")
                             : spelt("SUBSCRIBE", "b") + spelt("SUBSCRIBE", "a"));
  confirm(a_first ? "a" : "b");
  confirm(a_first ? "b" : "a");
  EXPECT_TRUE(subscriptions_.is_confirmed("a"));
  EXPECT_EQ(one_->gaps, 1);
  EXPECT_EQ(other_->gaps, 1);
}

TEST_F(RedisSubscriptionsTest, WhatWasAskedBeforeTheFirstConnectionIsAskedOnce) {
  const auto channel = subscriptions_.add("a", one_, out_);
  taken();
  subscriptions_.begin_again(out_);
  EXPECT_EQ(taken(), spelt("SUBSCRIBE", "a"));
  confirm("a");
  EXPECT_EQ(channel->state, Channel::State::confirmed);
  EXPECT_EQ(one_->gaps, 0);
}

TEST_F(RedisSubscriptionsTest, ARefusalReachesItsCaller) {
  const auto channel = subscriptions_.add("a", one_, out_);
  const auto second = subscriptions_.add("b", other_, out_);
  EXPECT_TRUE(say("-NOPERM this user has no permissions\r\n"));
  ASSERT_TRUE(channel->refused);
  EXPECT_EQ(channel->refused->code, Errc::denied);
  EXPECT_TRUE(channel->refused->context.starts_with("Redis at 10.0.0.1:6379 "));
  EXPECT_FALSE(second->refused);
  confirm("b");
  EXPECT_TRUE(subscriptions_.is_confirmed("b"));

  taken();
  subscriptions_.add("a", other_, out_);
  EXPECT_EQ(taken(), spelt("SUBSCRIBE", "a"));
}

TEST_F(RedisSubscriptionsTest, PongsAndFarewellsMeanNothing) {
  EXPECT_TRUE(say("+PONG\r\n"));
  EXPECT_TRUE(say("*2\r\n$4\r\npong\r\n$0\r\n\r\n"));
  EXPECT_TRUE(say("*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:0\r\n"));
}

TEST_F(RedisSubscriptionsTest, WhatIsOutOfTurnIsRefused) {
  EXPECT_FALSE(say(":1\r\n"));
  EXPECT_FALSE(say("-ERR unknown\r\n"));
  EXPECT_FALSE(say("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"));
  EXPECT_FALSE(say("*0\r\n"));
}

TEST_F(RedisSubscriptionsTest, ForgettingAStrangerChangesNothing) {
  subscriptions_.add("a", one_, out_);
  taken();
  EXPECT_EQ(subscriptions_.remove("a", *other_, now_, out_), nullptr);
  EXPECT_EQ(subscriptions_.remove("b", *one_, now_, out_), nullptr);
  EXPECT_EQ(subscriptions_.remove("a", *one_, now_, out_), one_);
}

TEST_F(RedisSubscriptionsTest, AChannelWhoseSlotCameBackIsAskedForAgain) {
  subscriptions_.add("a", one_, out_);
  ASSERT_TRUE(say("-MOVED 7 10.0.0.1:6379\r\n"));
  EXPECT_TRUE(subscriptions_.take_misplaced());
  taken();
  const auto is_here = [](std::string_view) { return false; };
  EXPECT_THAT(subscriptions_.take(is_here, out_), IsEmpty());
  EXPECT_EQ(taken(), spelt("SUBSCRIBE", "a"));
  confirm("a");
  EXPECT_THAT(subscriptions_.take(is_here, out_), IsEmpty());
  EXPECT_EQ(taken(), "");
}

TEST_F(RedisSubscriptionsTest, ARefusalIsToldUntilTheChannelIsAskedForAgain) {
  const auto channel = subscriptions_.add("a", one_, out_);
  subscriptions_.refuse(Failure(Errc::unavailable, "too many open files"));
  ASSERT_TRUE(channel->refused);
  EXPECT_EQ(channel->refused->context, "too many open files");
  EXPECT_FALSE(subscriptions_.is_confirmed("a"));

  (void)taken();
  subscriptions_.add("a", one_, out_);
  EXPECT_FALSE(channel->refused) << "another try may succeed";
  (void)taken();
  subscriptions_.begin_again(out_);
  EXPECT_EQ(taken(), spelt("SUBSCRIBE", "a"));
  confirm("a");
  EXPECT_TRUE(subscriptions_.is_confirmed("a"));
  EXPECT_EQ(one_->gaps, 1) << "something may have been missed meanwhile";
}

}  // namespace
}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/pub_sub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string_view>

#include "engines/redis/transport/scripted_server.h"
#include "support/no_threads.h"
#include "support/scale.h"

namespace holdfast::redis {
namespace {

struct CountingListener final : ChannelListener {
  void on_message(std::string_view) noexcept override { ++messages; }
  void on_gap() noexcept override { ++gaps; }
  std::atomic<int> messages{0};
  std::atomic<int> gaps{0};
};

TEST(PubSubTest, ASubscriberIsServedWhenThereIsAThreadAgain) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.greet();
    connection.hear("SUBSCRIBE");
    connection.say("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    connection.linger();
  });
  PubSub pub_sub(server.endpoint());
  const auto early = std::make_shared<CountingListener>();
  {
    const test::NoThreads none;
    const auto subscribed =
        pub_sub.subscribe("c", early, Clock::now() + test::patience());
    ASSERT_FALSE(subscribed);
    EXPECT_EQ(subscribed.error().code, Errc::full);
    EXPECT_EQ(subscribed.error().message().find("the system has no thread to listen"),
              0u);
  }
  const auto late = std::make_shared<CountingListener>();
  const auto subscribed = pub_sub.subscribe("c", late, Clock::now() + test::patience());
  ASSERT_TRUE(subscribed) << subscribed.error().message();
  EXPECT_EQ(early->gaps, 1) << "it may have missed a message";
}

}  // namespace
}  // namespace holdfast::redis

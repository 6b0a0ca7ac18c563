// SPDX-License-Identifier: Apache-2.0

#include "run/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace holdfast::cli {
namespace {

std::pair<Channel, Channel> pair() {
  const auto ends = Channel::make_pair();
  return {Channel(ends[0]), Channel(ends[1])};
}

TEST(ChannelTest, CarriesAnOrderAndADescriptor) {
  auto [supervisor, watchdog] = pair();
  const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(supervisor.send(Order{.kind = Order::start, .token = 7}, null.get()));
  Descriptor attached;
  const auto order = watchdog.receive_order(attached);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->token, 7u);
  ASSERT_TRUE(attached);
  EXPECT_NE(attached.get(), null.get());
  EXPECT_EQ(fcntl(attached.get(), F_GETFD), FD_CLOEXEC);
}

TEST(ChannelTest, AReportBeforeTheEndIsReceived) {
  auto [supervisor, watchdog] = pair();
  ASSERT_TRUE(supervisor.send(Order{.kind = Order::lost}));  // never read
  ASSERT_TRUE(watchdog.send(Report{Report::ended, 3, true}));
  watchdog.close();
  const auto report = supervisor.receive_report();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->status, 3);
  EXPECT_FALSE(supervisor.receive_report()) << "the other end is gone";
  EXPECT_FALSE(supervisor.send(Order{.kind = Order::lost}));
}

}  // namespace
}  // namespace holdfast::cli

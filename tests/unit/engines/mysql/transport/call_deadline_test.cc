// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/call_deadline.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

// Returns how long a read waits from a socket that has this deadline.
std::chrono::microseconds waits_until(engine::Deadline until) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  CallDeadline::set_socket_timeouts(ends[0], until);
  timeval span{};
  socklen_t size = sizeof span;
  EXPECT_EQ(getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &span, &size), 0);
  close(ends[0]);
  close(ends[1]);
  return std::chrono::seconds(span.tv_sec) + std::chrono::microseconds(span.tv_usec);
}

// A timeout of zero would mean to wait for ever.
TEST(CallDeadlineTest, ADeadlineThatHasPassedIsTheShortestWait) {
  constexpr auto kJiffy = 20ms;
  for (const auto until :
       {engine::Deadline::min(), engine::Deadline{}, Clock::now() - 1s}) {
    EXPECT_GT(waits_until(until), 0us);
    EXPECT_LE(waits_until(until), kJiffy);
  }
}

TEST(CallDeadlineTest, AWaitEndsWithTheDeadlineOrAfterAnHour) {
  EXPECT_GT(waits_until(Clock::now() + 30s), 10s);
  EXPECT_LE(waits_until(Clock::now() + 30s), 31s);
  EXPECT_EQ(waits_until(engine::Deadline::max()), 1h);
}

}  // namespace
}  // namespace holdfast::mysql

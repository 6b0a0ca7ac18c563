// SPDX-License-Identifier: Apache-2.0

// The program on a Redis server that sentinels watch.

#include "support/redis_sentinel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(RedisSentinelCli, ShowsTheServersAndFollowsAFailover) {
  RedisSentinel group({.servers = {"save 3600 1"}}, 1);
  const auto address = [](const RedisServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
  };
  Program holdfast;
  holdfast.set("HOLDFAST_URL=" + group.url("?ack=1"));
  const auto before = group.primary();
  const auto shown = holdfast({"show", "--engine"}).out;
  EXPECT_THAT(shown, ContainsRegex("\n  server " + address(group[before]) +
                                   ": role primary; version [0-9.]+; replicas 1; "
                                   "persistence snapshots; eviction none\n"));
  EXPECT_THAT(shown, HasSubstr("\n  server " + address(group[1 - before]) +
                               ": role replica of " + address(group[before]) + "\n"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(shown, HasSubstr("\n  server " + address(group.sentinel(i)) +
                                 ": role sentinel\n"));
  }
  const auto after = group.fail_over();
  EXPECT_THAT(holdfast({"show", "--engine"}).out,
              HasSubstr("\n  server " + address(group[after]) + ": role primary"));
}

}  // namespace
}  // namespace holdfast::test

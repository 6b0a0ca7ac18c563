// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/semaphore.h"

#include <gtest/gtest.h>

#include "engines/kit/reachable_queues.h"

namespace holdfast::zookeeper {
namespace {

using engine::Kind;
using kit::ReachableQueue;

// The first of those that wait is let in when the rule lets it in. The others come to
// be the first.
TEST(ZookeeperSemaphore, LetsTheFirstInAsByTheWholeQueue) {
  int admitted = 0;
  int refused = 0;
  kit::for_every_reachable_queue(
      {.kind = Kind::semaphore,
       .newcomers = {{.permits = 1}, {.permits = 2}, {.permits = 3}},
       .capacity = 3,
       .largest_capacity = 4},
      [&](const ReachableQueue& whole) {
        std::vector<std::string> waiters;
        std::size_t taken = 0;
        for (std::size_t i = 0; i < whole.entries.size(); ++i) {
          if (whole.entries[i].granted) {
            taken += whole.entries[i].permits;
          } else {
            waiters.push_back("lock-000000000" + std::to_string(i));
          }
        }
        bool is_first = true;
        for (std::size_t i = 0; i < whole.entries.size(); ++i) {
          if (whole.entries[i].granted) continue;
          SCOPED_TRACE(whole.describe() + ", entry " + std::to_string(i));
          auto seen =
              queue_of(Kind::mutex, "lock-000000000" + std::to_string(i), waiters);
          ASSERT_TRUE(seen);
          seen->taken = taken;
          count_permits(*seen, whole.entries[i].permits);
          const bool lets_in =
              engine::admits(Kind::semaphore, whole.capacity, seen->entries, seen->own);
          EXPECT_EQ(lets_in, is_first && whole.admits(i));
          ++(lets_in ? admitted : refused);
          is_first = false;
        }
      });
  EXPECT_GT(admitted, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace holdfast::zookeeper

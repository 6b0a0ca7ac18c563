// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engines/kit/reachable_queues.h"

namespace holdfast::zookeeper {
namespace {

using engine::Kind;
using engine::Mode;
using kit::ReachableQueue;

struct ObstacleRow {
  const char* what;
  Kind kind;
  std::vector<std::string> children;
  std::string own;
  std::string child;
  bool last;
  std::size_t ahead;
};

// Sequence numbers decide, whatever a name begins with.
TEST(ZookeeperObstacle, IsTheNearestNodeThatCounts) {
  const ObstacleRow rows[] = {
      {"alone", Kind::mutex, {"lock-1"}, "lock-1", "", false, 0},
      {"second",
       Kind::mutex,
       {"a-lock-2", "b-lock-1"},
       "a-lock-2",
       "b-lock-1",
       true,
       1},
      {"third",
       Kind::mutex,
       {"lock-3", "lock-1", "lock-2"},
       "lock-3",
       "lock-2",
       false,
       2},
      {"first of three",
       Kind::mutex,
       {"lock-3", "lock-1", "lock-2"},
       "lock-1",
       "",
       false,
       0},
      {"leader", Kind::election, {"latch-2", "latch-1"}, "latch-2", "latch-1", true, 1},
      {"reader behind reader",
       Kind::shared_mutex,
       {"__READ__1", "__READ__2"},
       "__READ__2",
       "",
       false,
       0},
      {"reader behind writer",
       Kind::shared_mutex,
       {"__WRIT__1", "__READ__2"},
       "__READ__2",
       "__WRIT__1",
       true,
       1},
      {"reader behind both",
       Kind::shared_mutex,
       {"__WRIT__1", "__READ__2", "__READ__3"},
       "__READ__3",
       "__WRIT__1",
       true,
       1},
      {"reader behind two writers",
       Kind::shared_mutex,
       {"__WRIT__1", "__WRIT__2", "__READ__3"},
       "__READ__3",
       "__WRIT__2",
       false,
       2},
      {"writer behind reader",
       Kind::shared_mutex,
       {"__READ__1", "__WRIT__2"},
       "__WRIT__2",
       "__READ__1",
       true,
       1},
      {"writer behind writer, which may become a reader",
       Kind::shared_mutex,
       {"__WRIT__1", "__WRIT__2"},
       "__WRIT__2",
       "__WRIT__1",
       false,
       1},
      {"reader behind a node of another program",
       Kind::shared_mutex,
       {"#", "__READ__2"},
       "__READ__2",
       "",
       false,
       0},
      {"writer behind a node of another program",
       Kind::shared_mutex,
       {"#", "__WRIT__2"},
       "__WRIT__2",
       "#",
       true,
       1},
  };
  for (const ObstacleRow& row : rows) {
    const auto queue = queue_of(row.kind, row.own, row.children);
    ASSERT_TRUE(queue) << row.what;
    EXPECT_EQ(queue->nodes.at(queue->own), row.own) << row.what;
    ASSERT_EQ(queue->entries.size(), queue->nodes.size()) << row.what;
    EXPECT_EQ(queue->own, row.ahead) << row.what;
    const bool admitted = engine::admits(row.kind, 0, queue->entries, queue->own);
    EXPECT_EQ(admitted, row.child.empty()) << row.what;
    if (admitted) continue;
    const auto found = kit::find_obstacle(row.kind, 0, queue->entries, queue->own);
    ASSERT_TRUE(found.entry) << row.what;
    EXPECT_EQ(queue->nodes.at(*found.entry), row.child) << row.what;
    EXPECT_EQ(is_last(*queue, found), row.last) << row.what;
    EXPECT_EQ(found.ends, row.ahead) << row.what;
  }
}

TEST(ZookeeperObstacle, AClaimWithoutItsNodeHasNone) {
  EXPECT_FALSE(queue_of(Kind::mutex, "lock-3", {"lock-1", "lock-2"}));
  EXPECT_FALSE(queue_of(Kind::mutex, "lock-3", {}));
}

std::string child_at(const ReachableQueue& queue, std::size_t index) {
  const auto base = base_of(role_for(queue.kind, queue.entries[index].mode));
  // The letter before the base makes the names sort in another order.
  return std::string(1, static_cast<char>('z' - index)) + std::string(base) +
         "000000000" + std::to_string(index);
}

std::vector<std::string> children_of(const ReachableQueue& queue) {
  std::vector<std::string> children;
  for (std::size_t i = 0; i < queue.entries.size(); ++i) {
    children.push_back(child_at(queue, i));
  }
  std::sort(children.begin(), children.end());
  return children;
}

// If the obstacle was the last, its deletion alone admits the claim.
void expect_to_be_last(const ReachableQueue& queue, std::size_t index,
                       std::size_t obstacle) {
  ReachableQueue then = queue;
  then.erase(obstacle);
  EXPECT_TRUE(then.admits(obstacle < index ? index - 1 : index));
  const engine::QueueEntry& ends = queue.entries[obstacle];
  if (queue.kind != Kind::shared_mutex || ends.mode == Mode::shared) return;
  // A writer that becomes a reader has another node then.
  then = queue;
  then.entries[obstacle].mode = Mode::shared;
  EXPECT_TRUE(then.admits(index));
}

void expect_the_same_decisions(const kit::ReachableBy& by) {
  int admitted = 0;
  int last = 0;
  int not_last = 0;
  for_every_reachable_queue(by, [&](const ReachableQueue& queue) {
    for (std::size_t i = 0; i < queue.entries.size(); ++i) {
      if (queue.entries[i].granted) continue;
      SCOPED_TRACE(queue.describe() + ", entry " + std::to_string(i));
      const auto seen = queue_of(queue.kind, child_at(queue, i), children_of(queue));
      ASSERT_TRUE(seen);
      const bool whole = queue.admits(i);
      EXPECT_EQ(engine::admits(queue.kind, 0, seen->entries, seen->own), whole);
      EXPECT_EQ(seen->own == 0, whole) << "the first needs no further look";
      admitted += whole ? 1 : 0;
      if (whole) continue;
      const auto obstacle = kit::find_obstacle(queue.kind, 0, seen->entries, seen->own);
      const auto of_whole = kit::find_obstacle(queue.kind, 0, queue.entries, i);
      ASSERT_TRUE(obstacle.entry && of_whole.entry);
      EXPECT_EQ(seen->nodes[*obstacle.entry], child_at(queue, *of_whole.entry));
      EXPECT_EQ(obstacle.ends, of_whole.ends);
      const bool is_the_last = is_last(*seen, obstacle);
      ++(is_the_last ? last : not_last);
      if (is_the_last) expect_to_be_last(queue, i, *of_whole.entry);
    }
  });
  EXPECT_GT(admitted, 5);
  EXPECT_GT(last, 5);
  EXPECT_GT(not_last, 10);
}

TEST(ZookeeperQueue, DecidesByTheNodesThatCountAsByTheWholeQueue) {
  for (const Kind kind : {Kind::mutex, Kind::fair_mutex, Kind::election}) {
    expect_the_same_decisions({.kind = kind, .newcomers = {{}}, .longest = 6});
  }
  expect_the_same_decisions(
      {.kind = Kind::shared_mutex,
       .newcomers = {{.mode = Mode::exclusive}, {.mode = Mode::shared}},
       .longest = 5,
       .downgrades = true});
}

}  // namespace
}  // namespace holdfast::zookeeper

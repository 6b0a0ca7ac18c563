// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::zookeeper {
namespace {

using engine::Kind;

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

}  // namespace
}  // namespace holdfast::zookeeper

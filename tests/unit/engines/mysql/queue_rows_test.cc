// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/queue_rows.h"

#include <gtest/gtest.h>

#include "engines/kit/reachable_queues.h"

namespace holdfast::mysql {
namespace {

using engine::Kind;
using engine::Mode;

Cell number_cell(std::int64_t number) {
  return {.null = false, .number = number, .text = {}};
}

// A row as sql::kQueue returns it, of a claim that has the rest of its time `left`.
Row queue_row(std::uint64_t id, const std::string& owner, Mode mode, bool granted,
              std::int64_t left = 1'000'000) {
  Row row(14);
  row[0] = number_cell(70);                              // fence
  row[1] = number_cell(3);                               // version
  row[3] = number_cell(2);                               // kind
  row[4] = number_cell(static_cast<std::int64_t>(id));   // claim
  row[5] = {.null = false, .number = 0, .text = owner};  // owner
  row[6] = number_cell(mode == Mode::shared ? 2 : 1);    // mode
  row[7] = number_cell(1);                               // permits
  row[8] = number_cell(granted ? 1 : 0);                 // granted
  row[9] = number_cell(1);                               // bell
  row[10] = number_cell(left);                           // left
  row[11] = number_cell(granted ? 70 : 0);               // token
  row[12] = number_cell(5);                              // epoch
  row[13] = number_cell(1000);                           // clock
  return row;
}

// The letter w is a writer and r a reader; a capital letter means that it is granted.
QueueRows queue_of(std::string_view claims, char own_index) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const char letter = claims[i];
    const Mode mode = letter == 'r' || letter == 'R' ? Mode::shared : Mode::exclusive;
    const bool granted = letter == 'R' || letter == 'W';
    rows.push_back(queue_row(i + 1, std::to_string(i), mode, granted));
  }
  return QueueRows::of(rows, std::string(1, own_index));
}

TEST(MysqlQueueRows, NamesTheClaimThatMustEndFirst) {
  struct Case {
    std::string_view claims;
    char own;
    std::uint64_t obstacle;  // its id, which is the index and one
  };
  constexpr Case kCases[] = {
      {"Ww", '1', 1},   // a writer waits for the holder
      {"Www", '2', 2},  // and the next one for the writer before it
      {"Rwr", '2', 2},  // a reader waits for the writer between
      {"RRw", '2', 2},  // a writer waits for the last reader
      {"Wrr", '2', 1},  // readers wait for the same writer
      {"wW", '0', 2},   // a later claim that was granted is in the way, too
  };
  for (const Case& each : kCases) {
    const auto queue = queue_of(each.claims, each.own);
    ASSERT_TRUE(queue.is_in()) << each.claims;
    ASSERT_FALSE(queue.admits(Kind::shared_mutex, 0)) << each.claims;
    const auto* const found = queue.obstacle(Kind::shared_mutex, 0);
    EXPECT_EQ(found != nullptr ? found->id : 0, each.obstacle) << each.claims;
  }
}

TEST(MysqlQueueRows, HasNoSingleObstacleWhereAnyClaimMayEndFirst) {
  const auto queue = queue_of("WWw", '2');
  EXPECT_EQ(queue.obstacle(Kind::semaphore, 2), nullptr);
  EXPECT_EQ(queue.obstacle(Kind::double_barrier, 4), nullptr);
  EXPECT_NE(queue.obstacle(Kind::fair_mutex, 1), nullptr);
}

TEST(MysqlQueueRows, AdmitsByTheCommonRule) {
  EXPECT_FALSE(queue_of("Ww", '1').admits(Kind::fair_mutex, 1));
  EXPECT_TRUE(queue_of("ww", '0').admits(Kind::fair_mutex, 1));
  EXPECT_FALSE(queue_of("ww", '1').admits(Kind::fair_mutex, 1));
  EXPECT_TRUE(queue_of("Rr", '1').admits(Kind::shared_mutex, 0));
  EXPECT_TRUE(queue_of("Ww", '1').admits(Kind::semaphore, 2));
  EXPECT_FALSE(queue_of("WWw", '2').admits(Kind::semaphore, 2));
}

// A row whose time is over may be anywhere between the others.
TEST(MysqlQueueRows, DecidesByTheLivingRowsAsByTheWholeQueue) {
  int admitted = 0;
  int refused = 0;
  const auto decide = [&](const kit::ReachableQueue& whole) {
    for (std::size_t dead = 0; dead <= whole.entries.size(); ++dead) {
      std::vector<Row> rows;
      for (std::size_t i = 0; i <= whole.entries.size(); ++i) {
        if (i == dead) rows.push_back(queue_row(50 + i, "", Mode::exclusive, true, 0));
        if (i == whole.entries.size()) break;
        const engine::QueueEntry& entry = whole.entries[i];
        rows.push_back(queue_row(i + 1, std::to_string(i), entry.mode, entry.granted));
        rows.back()[7] = number_cell(entry.permits);
      }
      for (std::size_t i = 0; i < whole.entries.size(); ++i) {
        if (whole.entries[i].granted) continue;
        SCOPED_TRACE(whole.describe() + ", entry " + std::to_string(i));
        const auto queue = QueueRows::of(rows, std::to_string(i));
        ASSERT_EQ(queue.own, i);
        EXPECT_EQ(queue.admits(whole.kind, whole.capacity), whole.admits(i));
        ++(whole.admits(i) ? admitted : refused);
      }
    }
  };
  kit::for_every_reachable_queue(
      {.kind = Kind::fair_mutex, .newcomers = {{}}, .capacity = 1}, decide);
  kit::for_every_reachable_queue({.kind = Kind::shared_mutex,
                                  .newcomers = {{}, {.mode = Mode::shared}},
                                  .downgrades = true},
                                 decide);
  kit::for_every_reachable_queue({.kind = Kind::semaphore,
                                  .newcomers = {{.permits = 1}, {.permits = 2}},
                                  .capacity = 2,
                                  .largest_capacity = 3},
                                 decide);
  kit::for_every_reachable_queue(
      {.kind = Kind::double_barrier, .newcomers = {{}}, .capacity = 3}, decide);
  EXPECT_GT(admitted, 100);
  EXPECT_GT(refused, 100);
}

TEST(MysqlQueueRows, LeavesOutTheClaimsWhoseTimeIsOver) {
  const auto queue = QueueRows::of({queue_row(1, "dead", Mode::exclusive, true, 0),
                                    queue_row(2, "mine", Mode::exclusive, false)},
                                   "mine");
  EXPECT_TRUE(queue.has_expired);
  ASSERT_EQ(queue.claims.size(), 1u);
  EXPECT_EQ(queue.own, 0u);
  EXPECT_TRUE(queue.admits(Kind::fair_mutex, 1));
  EXPECT_EQ(queue.fence, 70u);
  EXPECT_EQ(queue.clock, 1000u);
  EXPECT_EQ(queue.version, 3u);
  EXPECT_FALSE(queue.value);
}

TEST(MysqlQueueRows, OfAnEmptyQueueHasNoClaimOfOurs) {
  Row row = queue_row(0, "", Mode::exclusive, false);
  row[4] = {};  // A LEFT JOIN finds no claim.
  row[2] = number_cell(5);
  const auto queue = QueueRows::of({row}, "mine");
  EXPECT_FALSE(queue.is_in());
  EXPECT_FALSE(queue.has_expired);
  EXPECT_EQ(queue.value, 5);
}

TEST(MysqlQueueRows, TellTheCapacity) {
  struct Case {
    std::optional<std::int64_t> value;
    std::uint32_t capacity;
  };
  constexpr Case kCases[] = {
      {std::nullopt, 0}, {0, 0}, {-1, 0}, {5, 5}, {1LL << 32, UINT32_MAX}};
  for (const Case& each : kCases) {
    QueueRows queue;
    queue.value = each.value;
    EXPECT_EQ(queue.capacity(), each.capacity);
  }
}

}  // namespace
}  // namespace holdfast::mysql

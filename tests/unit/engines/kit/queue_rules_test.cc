// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/queue_rules.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "engines/kit/reachable_queues.h"

namespace holdfast::kit {
namespace {

using engine::admits;
using engine::Kind;
using engine::Mode;
using engine::QueueEntry;
using Entries = std::vector<QueueEntry>;
using namespace std::chrono_literals;

// A queue in one letter per entry, as in admission_test: X exclusive, S shared, 3 so
// many permits; a '*' after it: granted.
Entries queue_of(const std::string& text) {
  Entries queue;
  for (const char c : text) {
    if (c == '*') {
      queue.back().granted = true;
    } else if (c == 'S' || c == 'X') {
      queue.push_back({c == 'S' ? Mode::shared : Mode::exclusive, 1, false});
    } else {
      queue.push_back({Mode::exclusive, static_cast<std::uint32_t>(c - '0'), false});
    }
  }
  return queue;
}

struct ObstacleRow {
  Kind kind;
  std::uint32_t capacity;
  std::string queue;
  std::size_t index;
  std::optional<std::size_t> entry;
  std::size_t ends;
};

const ObstacleRow kObstacles[] = {
    {Kind::mutex, 0, "X*X", 1, 0, 1},
    {Kind::mutex, 0, "X*XX", 2, 1, 2},  // the predecessor, not the holder
    {Kind::fair_mutex, 0, "XXX", 1, 0, 1},
    {Kind::election, 0, "XX*", 0, 1, 1},  // one that came later and is in
    {Kind::shared_mutex, 0, "S*S*X", 2, 1, 2},
    {Kind::shared_mutex, 0, "X*SS", 2, 0, 1},  // readers do not wait for readers
    {Kind::shared_mutex, 0, "X*XSS", 3, 1, 2},
    {Kind::semaphore, 3, "1*1*1*1", 3, {}, 1},
    {Kind::semaphore, 3, "1*2*3", 2, {}, 2},
    {Kind::semaphore, 4, "1*3*2", 2, {}, 1},  // the end of the large one is enough
    {Kind::double_barrier, 3, "XX", 1, {}, 0},
};

TEST(QueueRulesTest, AnObstacleIsTheNearestEntryThatMustEnd) {
  for (const ObstacleRow& row : kObstacles) {
    const Entries queue = queue_of(row.queue);
    ASSERT_FALSE(admits(row.kind, row.capacity, queue, row.index)) << row.queue;
    const Obstacle obstacle = find_obstacle(row.kind, row.capacity, queue, row.index);
    EXPECT_EQ(obstacle.entry, row.entry) << row.queue;
    EXPECT_EQ(obstacle.ends, row.ends) << row.queue;
  }
}

// What the header promises, by brute force: for every queue of up to four entries and
// every way in which it can shrink, with and without newcomers.
class WhatHolds {
 public:
  WhatHolds(Kind kind, std::uint32_t capacity, Entries queue, std::size_t index)
      : kind_(kind), capacity_(capacity), queue_(std::move(queue)), index_(index) {}

  void check() const {
    const Obstacle obstacle = find_obstacle(kind_, capacity_, queue_, index_);
    bool enough = obstacle.ends == 0;
    for (unsigned gone = 0; gone < 1u << queue_.size(); ++gone) {
      if ((gone >> index_ & 1) != 0) continue;
      const auto ends = static_cast<std::size_t>(std::popcount(gone));
      const bool stays = obstacle.entry && (gone >> *obstacle.entry & 1) == 0;
      if (stays || ends < obstacle.ends) {
        EXPECT_FALSE(admitted_after(gone, 0)) << describe(gone);
        EXPECT_FALSE(admitted_after(gone, 2)) << describe(gone);
      }
      enough = enough || (ends == obstacle.ends && admitted_after(gone, 0));
    }
    EXPECT_TRUE(enough) << describe(0) << " needs other than " << obstacle.ends;
  }

 private:
  bool admitted_after(unsigned gone, std::size_t newcomers) const {
    Entries left;
    std::size_t own = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      if (i == index_) own = left.size();
      if ((gone >> i & 1) == 0) left.push_back(queue_[i]);
    }
    left.resize(left.size() + newcomers);
    return admits(kind_, capacity_, left, own);
  }
  std::string describe(unsigned gone) const {
    std::string text = "kind " + std::to_string(static_cast<int>(kind_)) + ", entry " +
                       std::to_string(index_) + " of";
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const QueueEntry& each = queue_[i];
      text += each.mode == Mode::shared ? " S" : " X";
      text += std::to_string(each.permits) + (each.granted ? "*" : "");
      if ((gone >> i & 1) != 0) text += "(gone)";
    }
    return text;
  }

  const Kind kind_;
  const std::uint32_t capacity_;
  const Entries queue_;
  const std::size_t index_;
};

// Every queue of `length` entries, each one of `choices`.
template <class Use>
void for_every_queue(const Entries& choices, std::size_t length, const Use& use) {
  std::size_t number = 1;
  for (std::size_t i = 0; i < length; ++i) number *= choices.size();
  for (std::size_t code = 0; code < number; ++code) {
    Entries queue;
    for (std::size_t rest = code; queue.size() < length; rest /= choices.size()) {
      queue.push_back(choices[rest % choices.size()]);
    }
    use(queue);
  }
}

void check_every_queue(Kind kind, std::uint32_t capacity, const Entries& choices) {
  int refused = 0;
  for (std::size_t length = 1; length <= 4; ++length) {
    for_every_queue(choices, length, [&](const Entries& queue) {
      for (std::size_t i = 0; i < queue.size(); ++i) {
        if (queue[i].granted || queue[i].permits > capacity) continue;
        if (admits(kind, capacity, queue, i)) continue;
        ++refused;
        WhatHolds(kind, capacity, queue, i).check();
      }
    });
  }
  EXPECT_GT(refused, 0);
}

TEST(QueueRulesTest, NoQueueLetsAClaimInWhileItsObstacleStays) {
  const Entries locks = queue_of("XX*");
  check_every_queue(Kind::mutex, 1, locks);
  check_every_queue(Kind::election, 1, locks);
  check_every_queue(Kind::shared_mutex, 1, queue_of("XX*SS*"));
}

TEST(QueueRulesTest, NoSemaphoreLetsAClaimInBeforeSoManyHaveEnded) {
  check_every_queue(Kind::semaphore, 3, queue_of("11*23*"));
}

// `local` goes through a queue from its head with what it has seen so far, and stops at
// the first claim that it cannot grant.
TEST(QueueRulesTest, TheEntriesAheadDecideAndARefusedOneEndsTheGrants) {
  int admitted = 0;
  int refused = 0;
  const auto look = [&](const ReachableQueue& queue) {
    bool ended = false;
    for (std::size_t i = 0; i < queue.entries.size(); ++i) {
      if (queue.entries[i].granted) continue;
      const bool whole = queue.admits(i);
      const auto seen = std::span(queue.entries).first(i + 1);
      EXPECT_EQ(admits(queue.kind, queue.capacity, seen, i), whole)
          << queue.describe() << ", entry " << i;
      EXPECT_FALSE(ended && whole) << queue.describe() << ", entry " << i;
      ended = ended || !whole;
      ++(whole ? admitted : refused);
    }
  };
  for (const Kind kind : {Kind::mutex, Kind::fair_mutex, Kind::election}) {
    for_every_reachable_queue({.kind = kind, .newcomers = queue_of("X"), .longest = 6},
                              look);
  }
  for_every_reachable_queue({.kind = Kind::shared_mutex,
                             .newcomers = queue_of("XS"),
                             .longest = 5,
                             .downgrades = true},
                            look);
  for_every_reachable_queue({.kind = Kind::semaphore,
                             .newcomers = queue_of("123"),
                             .capacity = 3,
                             .largest_capacity = 4},
                            look);
  EXPECT_GT(admitted, 100);
  EXPECT_GT(refused, 100);
}

TEST(QueueRulesTest, ADoubleBarrierWaitsForOthersToCome) {
  const Entries queue = queue_of("XX");
  const Obstacle obstacle = find_obstacle(Kind::double_barrier, 3, queue, 0);
  EXPECT_FALSE(obstacle.entry);
  EXPECT_EQ(obstacle.ends, 0u);
}

std::string marked(Kind kind, std::uint32_t capacity, const std::string& text) {
  std::vector<engine::Entry> entries;
  for (const QueueEntry& each : queue_of(text)) {
    engine::Entry& entry = entries.emplace_back();
    entry.mode = each.mode;
    entry.permits = each.permits;
    entry.granted = each.granted;
  }
  mark_granted(kind, capacity, entries);
  std::string marks;
  for (const engine::Entry& each : entries) marks += each.granted ? 'y' : 'n';
  return marks;
}

TEST(QueueRulesTest, MarksWhatTheQueueAloneLetsIn) {
  EXPECT_EQ(marked(Kind::mutex, 0, "XX"), "yn");
  EXPECT_EQ(marked(Kind::shared_mutex, 0, "SSXS"), "yynn");
  EXPECT_EQ(marked(Kind::semaphore, 3, "121"), "yyn");
  EXPECT_EQ(marked(Kind::semaphore, 1, "2*1"), "yn") << "it was in before";
  EXPECT_EQ(marked(Kind::double_barrier, 0, "XX"), "nn");
  EXPECT_EQ(marked(Kind::double_barrier, 0, "X*X*"), "yy");
}

TEST(QueueRulesTest, WaitersFarBehindLookLessOften) {
  EXPECT_GE(pause_behind(0), 4s);
  EXPECT_LE(pause_behind(0), 5s);
  EXPECT_GT(pause_behind(100), 5s);
  EXPECT_LE(pause_behind(1'000'000), 55s);
}

}  // namespace
}  // namespace holdfast::kit

// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/ordered_queue.h"

#include <gtest/gtest.h>

#include "engines/etcd/stored_keys.h"
#include "engines/kit/reachable_queues.h"

namespace holdfast::etcd {
namespace {

using engine::Kind;
using engine::Mode;
using kit::ReachableQueue;

const std::string kBelowLock = "/app/a/";

// The keys of a queue, the older ones first. Each has a revision of its own.
std::vector<wire::KeyValue> keys_of(const ReachableQueue& queue) {
  std::vector<wire::KeyValue> keys;
  for (std::size_t i = 0; i < queue.entries.size(); ++i) {
    std::string part;
    if (queue.kind == Kind::shared_mutex) {
      part = queue.entries[i].mode == Mode::shared ? "read/" : "write/";
    }
    // A newer key may sort before an older one.
    keys.push_back(stored_key(kBelowLock + part + hex(0xf0 - 0x10 * i) + "-1",
                              static_cast<std::int64_t>(100 + i)));
  }
  return keys;
}

// What the claim at `index` sees of the queue, and which entry its predecessor is.
struct Seen {
  std::vector<engine::QueueEntry> entries;
  std::optional<std::size_t> predecessor = {};
};

Seen seen_by(const ReachableQueue& queue, std::size_t index, bool fresh) {
  const auto keys = keys_of(queue);
  const Mode mode = queue.entries[index].mode;
  const bool reads = queue.kind == Kind::shared_mutex && mode == Mode::shared;
  const auto answer = answer_to(
      ask_for_predecessor(kBelowLock, reads, fresh ? 0 : keys[index].create_revision()),
      keys);
  Seen seen;
  std::optional<KeyRole> role;
  if (const auto* const found = find_predecessor(answer, keys[index].key())) {
    role = role_of(std::string_view(found->key()).substr(kBelowLock.size()));
    seen.predecessor = static_cast<std::size_t>(found->create_revision() - 100);
  }
  seen.entries = queue_behind(role, mode);
  return seen;
}

void expect_the_same_decisions(const kit::ReachableBy& by) {
  int admitted = 0;
  int refused = 0;
  for_every_reachable_queue(by, [&](const ReachableQueue& queue) {
    for (std::size_t i = 0; i < queue.entries.size(); ++i) {
      if (queue.entries[i].granted) continue;
      for (const bool fresh : {false, true}) {
        if (fresh && i + 1 != queue.entries.size()) continue;
        SCOPED_TRACE(queue.describe() + ", entry " + std::to_string(i));
        const Seen seen = seen_by(queue, i, fresh);
        const bool whole = queue.admits(i);
        EXPECT_EQ(engine::admits(queue.kind, 0, seen.entries, seen.entries.size() - 1),
                  whole);
        ++(whole ? admitted : refused);
        if (whole) continue;
        EXPECT_EQ(seen.predecessor,
                  kit::find_obstacle(queue.kind, 0, queue.entries, i).entry);
      }
    }
  });
  EXPECT_GT(admitted, 5);
  EXPECT_GT(refused, 10);
}

TEST(EtcdOrderedQueue, DecidesByThePredecessorAsByTheWholeQueue) {
  for (const Kind kind : {Kind::mutex, Kind::fair_mutex, Kind::election}) {
    expect_the_same_decisions({.kind = kind, .newcomers = {{}}, .longest = 6});
  }
  expect_the_same_decisions(
      {.kind = Kind::shared_mutex,
       .newcomers = {{.mode = Mode::exclusive}, {.mode = Mode::shared}},
       .longest = 5});
}

}  // namespace
}  // namespace holdfast::etcd

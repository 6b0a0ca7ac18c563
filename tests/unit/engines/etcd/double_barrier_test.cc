// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/double_barrier.h"

#include <gtest/gtest.h>

#include "engines/etcd/stored_keys.h"
#include "engines/kit/reachable_queues.h"

namespace holdfast::etcd {
namespace {

using engine::Kind;
using kit::ReachableQueue;

const std::string kBelowBarrier = "/app/b/";

std::string party(std::size_t index) {
  return kBelowBarrier + "waiters/" + hex(0xf0 - 0x10 * index) + "-1";
}

// The barrier is opened, or joined, for all the parties that are there at that moment.
// So those inside are the first of the queue.
bool is_of_one_opening(const ReachableQueue& queue, std::size_t& inside) {
  inside = 0;
  while (inside < queue.entries.size() && queue.entries[inside].granted) ++inside;
  for (std::size_t i = inside; i < queue.entries.size(); ++i) {
    if (queue.entries[i].granted) return false;
  }
  return true;
}

TEST(EtcdDoubleBarrier, DecidesAsByTheWholeQueue) {
  int admitted = 0;
  int refused = 0;
  for (const std::uint32_t parties : {1U, 2U, 3U}) {
    kit::for_every_reachable_queue(
        {.kind = Kind::double_barrier,
         .newcomers = {{}},
         .longest = 5,
         .capacity = parties},
        [&](const ReachableQueue& queue) {
          std::size_t inside = 0;
          if (!is_of_one_opening(queue, inside)) return;
          std::vector<wire::KeyValue> keys;
          for (std::size_t i = 0; i < queue.entries.size(); ++i) {
            keys.push_back(stored_key(
                party(i), static_cast<std::int64_t>((i < inside ? 100 : 200) + i)));
          }
          const std::int64_t opened = inside > 0 ? 150 : 0;
          if (opened != 0) keys.push_back(stored_key(kBelowBarrier + "ready", opened));
          const auto answer = answer_to(in_order_below(kBelowBarrier), keys);
          for (std::size_t i = 0; i < queue.entries.size(); ++i) {
            SCOPED_TRACE(queue.describe() + ", entry " + std::to_string(i));
            kit::QueueSnapshot seen;
            ASSERT_TRUE(read_parties(answer, kBelowBarrier, party(i), opened, seen));
            ASSERT_EQ(seen.own, i);
            ASSERT_EQ(seen.entries.size(), queue.entries.size());
            EXPECT_EQ(seen.entries[i].granted, queue.entries[i].granted);
            const bool whole = queue.admits(i);
            EXPECT_EQ(engine::admits(queue.kind, parties, seen.entries, i), whole);
            ++(whole ? admitted : refused);
          }
        });
  }
  EXPECT_GT(admitted, 10);
  EXPECT_GT(refused, 2);
}

TEST(EtcdDoubleBarrier, HasNoKeysOfOtherKinds) {
  for (const std::string part : {"read/7-1", "claims/7-1", "permits", "7", "x/y/z"}) {
    wire::RangeResponse keys;
    *keys.add_kvs() = stored_key(kBelowBarrier + part, 1);
    kit::QueueSnapshot seen;
    EXPECT_FALSE(read_parties(keys, kBelowBarrier, party(0), 0, seen)) << part;
  }
}

}  // namespace
}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/semaphore.h"

#include <gtest/gtest.h>

#include "engines/etcd/stored_keys.h"
#include "engines/kit/reachable_queues.h"

namespace holdfast::etcd {
namespace {

using engine::Kind;
using kit::ReachableQueue;

const std::string kBelowSemaphore = "/app/s/";

std::int64_t revision_of(std::size_t index) {
  return static_cast<std::int64_t>(100 + index);
}

// The capacity names the last claim that was granted when it was changed.
wire::RangeResponse stored(const ReachableQueue& queue) {
  std::int64_t admitted_until = 0;
  std::vector<wire::KeyValue> keys;
  for (std::size_t i = 0; i < queue.entries.size(); ++i) {
    if (queue.granted_before[i]) admitted_until = revision_of(i);
    keys.push_back(stored_key(kBelowSemaphore + "claims/" + hex(0xf0 - 0x10 * i) + "-1",
                              revision_of(i),
                              std::to_string(queue.entries[i].permits) + " web-07"));
  }
  std::string capacity = std::to_string(queue.capacity);
  if (admitted_until != 0) capacity += " " + std::to_string(admitted_until);
  keys.push_back(stored_key(kBelowSemaphore + "permits", 90, capacity));
  return answer_to(in_order_below(kBelowSemaphore), keys);
}

TEST(EtcdSemaphore, DecidesByTheClaimsAheadAsByTheWholeQueue) {
  int admitted = 0;
  int refused = 0;
  kit::for_every_reachable_queue(
      {.kind = Kind::semaphore,
       .newcomers = {{.permits = 1}, {.permits = 2}, {.permits = 3}},
       .capacity = 3,
       .largest_capacity = 4},
      [&](const ReachableQueue& queue) {
        for (std::size_t i = 0; i < queue.entries.size(); ++i) {
          SCOPED_TRACE(queue.describe() + ", entry " + std::to_string(i));
          kit::QueueSnapshot seen;
          ASSERT_TRUE(read_permit_queue(stored(queue), kBelowSemaphore, revision_of(i),
                                        queue.entries[i].permits, seen));
          EXPECT_EQ(seen.capacity, queue.capacity);
          EXPECT_EQ(seen.own, i);
          const bool lets_in =
              seen.entries[seen.own].granted ||
              engine::admits(Kind::semaphore, *seen.capacity, seen.entries, seen.own);
          if (queue.entries[i].granted) {
            EXPECT_TRUE(lets_in) << "it was in already";
            continue;
          }
          const bool whole = queue.admits(i);
          EXPECT_EQ(lets_in, whole);
          ++(whole ? admitted : refused);
          if (whole) continue;
          EXPECT_EQ(
              kit::find_obstacle(Kind::semaphore, *seen.capacity, seen.entries, i).ends,
              kit::find_obstacle(Kind::semaphore, queue.capacity, queue.entries, i)
                  .ends);
        }
      });
  EXPECT_GT(admitted, 100);
  EXPECT_GT(refused, 100);
}

TEST(EtcdSemaphore, HasNoKeysOfOtherKinds) {
  for (const std::string part : {"read/7-1", "waiters/7-1", "ready", "7", "x/y/z"}) {
    wire::RangeResponse keys;
    *keys.add_kvs() = stored_key(kBelowSemaphore + part, 1);
    kit::QueueSnapshot seen;
    EXPECT_FALSE(read_permit_queue(keys, kBelowSemaphore, 5, 1, seen)) << part;
  }
  wire::RangeResponse keys;
  *keys.add_kvs() = stored_key(kBelowSemaphore + "permits", 1, "many");
  kit::QueueSnapshot seen;
  EXPECT_FALSE(read_permit_queue(keys, kBelowSemaphore, 5, 1, seen));
}

TEST(EtcdSemaphore, ReadsWhatAClaimsValueSays) {
  EXPECT_EQ(read_permit_claim("3 web-07:4121:report").permits, 3u);
  EXPECT_EQ(read_permit_claim("3 web-07:4121:report").payload, "web-07:4121:report");
  EXPECT_EQ(read_permit_claim("2").permits, 2u);
  EXPECT_EQ(read_permit_claim("2").payload, "");
  for (const std::string foreign : {"", "text", "0 text"}) {
    EXPECT_EQ(read_permit_claim(foreign).permits, 1u) << foreign;
    EXPECT_EQ(read_permit_claim(foreign).payload, foreign);
  }
}

}  // namespace
}  // namespace holdfast::etcd

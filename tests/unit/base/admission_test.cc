// SPDX-License-Identifier: Apache-2.0

#include "holdfast/engine/admission.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::inline v0::engine {
namespace {

// `queue` has one character per entry: X is exclusive, S is shared, and a digit is a
// number of permits. A '*' after it means that the entry is granted. `in` says for each
// entry whether it may be granted now, with y or n, or - if it is granted already.
struct Row {
  Kind kind;
  std::uint32_t capacity;
  std::string queue;
  std::string in;
};

std::vector<QueueEntry> parse(const std::string& text) {
  std::vector<QueueEntry> queue;
  for (const char c : text) {
    if (c == '*') {
      queue.back().granted = true;
    } else if (c == 'S') {
      queue.push_back({Mode::shared, 1, false});
    } else if (c == 'X') {
      queue.push_back({Mode::exclusive, 1, false});
    } else {
      queue.push_back({Mode::exclusive, static_cast<std::uint32_t>(c - '0'), false});
    }
  }
  return queue;
}

const Row kRows[] = {
    {Kind::mutex, 0, "X", "y"},
    {Kind::mutex, 0, "X*X", "-n"},
    {Kind::mutex, 0, "XXX", "ynn"},
    {Kind::mutex, 0, "XX*", "n-"},  // `alone` looks at both sides
    {Kind::fair_mutex, 0, "X*XX", "-nn"},
    {Kind::election, 0, "XX", "yn"},

    {Kind::shared_mutex, 0, "S", "y"},
    {Kind::shared_mutex, 0, "S*S*S", "--y"},
    {Kind::shared_mutex, 0, "SSX", "yyn"},
    {Kind::shared_mutex, 0, "S*XS", "-nn"},  // the writer is not starved
    {Kind::shared_mutex, 0, "XSS", "ynn"},
    {Kind::shared_mutex, 0, "X*S", "-n"},
    {Kind::shared_mutex, 0, "SX*", "n-"},

    {Kind::semaphore, 3, "1*1*1", "--y"},
    {Kind::semaphore, 3, "1*1*1*1", "---n"},
    {Kind::semaphore, 3, "1*31", "-nn"},  // a large request is not starved
    {Kind::semaphore, 3, "31", "yn"},
    {Kind::semaphore, 3, "4", "n"},
    {Kind::semaphore, 0, "1", "n"},
    {Kind::semaphore, 5, "2*21", "-yy"},

    {Kind::double_barrier, 3, "XX", "nn"},
    {Kind::double_barrier, 3, "XXX", "yyy"},
    {Kind::double_barrier, 3, "XXXX", "yyyy"},
    {Kind::double_barrier, 3, "X*X", "-y"},  // the others are still coming in
    {Kind::double_barrier, 1, "X", "y"},

    {Kind::counter, 0, "X", "n"},
    {Kind::latch, 0, "X", "n"},
};

TEST(AdmissionTest, FollowsTheTable) {
  for (const Row& row : kRows) {
    const auto queue = parse(row.queue);
    ASSERT_EQ(queue.size(), row.in.size());
    for (std::size_t i = 0; i < queue.size(); ++i) {
      ASSERT_EQ(queue[i].granted, row.in[i] == '-');
      if (queue[i].granted) continue;
      EXPECT_EQ(admits(row.kind, row.capacity, queue, i), row.in[i] == 'y')
          << "kind " << static_cast<int>(row.kind) << ", queue " << row.queue
          << ", entry " << i;
    }
  }
}

TEST(AdmissionTest, AdmitsNothingBehindTheEndOfTheQueue) {
  EXPECT_FALSE(admits(Kind::mutex, 0, {}, 0));
  EXPECT_FALSE(admits(Kind::semaphore, 5, {}, 3));
}

TEST(AdmissionTest, PermitsDoNotOverflow) {
  std::vector<QueueEntry> queue(3, {Mode::exclusive, 0xFFFFFFFF, true});
  EXPECT_FALSE(admits(Kind::semaphore, 0xFFFFFFFF, queue, 2));
}

}  // namespace
}  // namespace holdfast::inline v0::engine

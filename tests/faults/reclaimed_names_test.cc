// SPDX-License-Identifier: Apache-2.0

// Records of idle names are given to other names when room is short. A client that had
// looked the old name up must notice.

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

class ReclaimedNames : public testing::Test {
 protected:
  // Uses many names once and then holds as many others, which get the same records.
  void use_up_idle_records() {
    for (int i = 0; i < 1'000; ++i) {
      Mutex idle(client_, "idle/" + std::to_string(i));
      ASSERT_TRUE(idle.try_lock());
      idle.unlock();
    }
    for (int i = 0; i < 3'000; ++i) {
      ASSERT_TRUE(held_.emplace_back(client_, "held/" + std::to_string(i)).try_lock());
    }
  }

  TempDir dir_;
  Client client_ = Client::open("local://" + dir_.file("segment")).value();
  std::deque<Mutex> held_;
};

TEST_F(ReclaimedNames, AreFoundAgain) {
  Mutex early(client_, "early");
  ASSERT_TRUE(early.try_lock());
  const auto token = early.token();
  early.unlock();
  use_up_idle_records();
  ASSERT_TRUE(early.try_lock());
  EXPECT_GT(early.token(), token);
  Mutex late(client_, "early");
  EXPECT_FALSE(late.try_lock());
  early.unlock();
  EXPECT_TRUE(late.try_lock());
}

TEST_F(ReclaimedNames, WhileHeldTheyAreLeftAlone) {
  Mutex early(client_, "early");
  ASSERT_TRUE(early.try_lock());
  use_up_idle_records();
  Mutex late(client_, "early");
  EXPECT_FALSE(late.try_lock());
  early.unlock();
  EXPECT_TRUE(late.try_lock());
}

TEST_F(ReclaimedNames, TokensGrowAcross) {
  std::uint64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    Mutex mutex(client_, "token");
    ASSERT_TRUE(mutex.try_lock());
    EXPECT_GT(mutex.token().value, last);
    last = mutex.token().value;
    mutex.unlock();
    held_.clear();
    use_up_idle_records();
  }
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "base/cork.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace holdfast::base {
namespace {

struct CountingOutlet final : Cork::Outlet {
  void flush() noexcept override { ++flushes; }
  int flushes = 0;
};

TEST(CorkTest, WithoutACorkNothingIsHeldBack) {
  EXPECT_FALSE(Cork::hold(std::make_shared<CountingOutlet>()));
}

TEST(CorkTest, FlushesEachOutletOnceAtItsEnd) {
  const auto one = std::make_shared<CountingOutlet>();
  const auto other = std::make_shared<CountingOutlet>();
  {
    const Cork cork;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(Cork::hold(one));
      EXPECT_TRUE(Cork::hold(other));
    }
    EXPECT_EQ(one->flushes + other->flushes, 0);
  }
  EXPECT_EQ(one->flushes, 1);
  EXPECT_EQ(other->flushes, 1);
  EXPECT_FALSE(Cork::hold(one));
}

TEST(CorkTest, AnInnerCorkFlushesAtItsOwnEnd) {
  const auto outlet = std::make_shared<CountingOutlet>();
  const Cork outer;
  {
    const Cork inner;
    EXPECT_TRUE(Cork::hold(outlet));
  }
  EXPECT_EQ(outlet->flushes, 1);
  EXPECT_TRUE(Cork::hold(outlet));
}

TEST(CorkTest, WhatItHasNoRoomForIsNotHeldBack) {
  std::vector<std::shared_ptr<CountingOutlet>> outlets;
  const Cork cork;
  do {
    outlets.push_back(std::make_shared<CountingOutlet>());
  } while (outlets.size() < 100 && Cork::hold(outlets.back()));
  EXPECT_LT(outlets.size(), 100u);
  EXPECT_TRUE(Cork::hold(outlets.front()));
}

TEST(CorkTest, IsThatOfItsThreadAlone) {
  const Cork cork;
  std::thread([] {
    EXPECT_FALSE(Cork::hold(std::make_shared<CountingOutlet>()));
  }).join();
}

TEST(CorkTest, HoldsNothingBackWhileItIsLifted) {
  const auto outlet = std::make_shared<CountingOutlet>();
  {
    const Cork outer;
    EXPECT_TRUE(Cork::hold(outlet));
    const Cork cork;
    EXPECT_TRUE(Cork::hold(outlet));
    {
      const Cork::Lifted lifted;
      EXPECT_EQ(outlet->flushes, 2);
      EXPECT_FALSE(Cork::hold(outlet));
    }
    EXPECT_TRUE(Cork::hold(outlet));
  }
  EXPECT_EQ(outlet->flushes, 3);
}

TEST(CorkTest, KeepsWhatItFlushes) {
  std::weak_ptr<CountingOutlet> watched;
  {
    const Cork cork;
    auto outlet = std::make_shared<CountingOutlet>();
    watched = outlet;
    EXPECT_TRUE(Cork::hold(std::move(outlet)));
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/wakeups.h"

#include <gtest/gtest.h>

namespace holdfast::zookeeper {
namespace {

class CountingSignal final : public engine::Signal {
 public:
  void ring() noexcept override { ++rings; }
  void wait(engine::Deadline) noexcept override {}
  int rings = 0;
};

class ZookeeperWatchSet : public testing::Test {
 protected:
  std::shared_ptr<WatchSet> listen(std::vector<WatchTarget> targets) {
    return WatchSet::make(registry_, std::move(targets), nullptr);
  }
  void fire(const WatchTarget& target, bool gone = false) {
    registry_.on_event(WatchRegistry::key(target), target.path, gone);
  }

  WatchRegistry registry_;
  const std::shared_ptr<CountingSignal> waker_ = std::make_shared<CountingSignal>();
  const WatchTarget node_{"/a/1"};
  const WatchTarget children_{"/a/1", WatchFor::children};
};

TEST_F(ZookeeperWatchSet, HearsOfItsTargetsOnly) {
  const auto set = listen({node_, {"/a/2"}});
  EXPECT_TRUE(set->arm(waker_));
  fire(children_);
  fire({"/a/3"});
  EXPECT_TRUE(set->quiet());
  EXPECT_EQ(waker_->rings, 0);
  fire({"/a/2"});
  EXPECT_FALSE(set->quiet());
  EXPECT_FALSE(set->gone());
  fire(node_, true);
  EXPECT_TRUE(set->gone());
  EXPECT_EQ(waker_->rings, 2);
}

TEST_F(ZookeeperWatchSet, ThatHasFiredBeforeItIsArmedSaysSo) {
  const auto set = listen({node_});
  fire(node_);
  EXPECT_FALSE(set->arm(waker_));
  EXPECT_EQ(waker_->rings, 0);
}

TEST_F(ZookeeperWatchSet, TakesMissedEventsForAChange) {
  const auto set = listen({node_});
  EXPECT_TRUE(set->arm(waker_));
  registry_.on_missed();
  EXPECT_FALSE(set->quiet());
  EXPECT_FALSE(set->gone());
  EXPECT_EQ(waker_->rings, 1);
}

TEST_F(ZookeeperWatchSet, ThatIsDestroyedHearsNothing) {
  auto other = listen({node_, node_, children_});
  const auto set = listen({node_});
  EXPECT_TRUE(other->arm(waker_));
  other.reset();
  fire(node_);
  registry_.on_missed();
  EXPECT_EQ(waker_->rings, 0);
  EXPECT_FALSE(set->quiet());
}

}  // namespace
}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

#include "scenes/scene.h"

#include <gtest/gtest.h>

#include <chrono>

#include "scenes/stage.h"
#include "servers/servers.h"
#include "servers/temp_dir.h"

namespace holdfast::shop {
namespace {

class ShopScene : public ::testing::TestWithParam<std::string> {
 protected:
  const TempDir dir_;
  Servers servers_{dir_.path()};
};

TEST_P(ShopScene, ShowsTheHoleAndThatHoldfastHasNone) {
  for (const Scene& scene : scenes()) {
    if (scene.name != GetParam()) continue;
    const SceneResult result = play(scene, servers_, HOLDFAST_SHOP, dir_.path());
    EXPECT_TRUE(result.hole_shown);
    EXPECT_TRUE(result.holdfast_whole);
    return;
  }
  FAIL() << "there is no such scene";
}

INSTANTIATE_TEST_SUITE_P(Holes, ShopScene,
                         ::testing::Values("v1-stack", "v2-crash", "v3-slow", "v4-gap",
                                           "v5-reentry", "v6-expiry", "v7-pause",
                                           "failover", "failover-ack",
                                           "failover-quorum", "failover-zookeeper",
                                           "failover-etcd", "zookeeper-watch"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(ShopScenes, LeaveNoLockToTheNextOne) {
  const TempDir dir;
  Servers servers(dir.path());
  const auto begin = std::chrono::steady_clock::now();
  for (const Scene& scene : scenes()) {
    if (scene.name != "failover" && scene.name != "failover-ack") continue;
    EXPECT_TRUE(play(scene, servers, HOLDFAST_SHOP, dir.path()).hole_shown);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kSceneLimit);
}

TEST(ShopScenes, AreAllTested) { EXPECT_EQ(scenes().size(), 13U); }

}  // namespace
}  // namespace holdfast::shop

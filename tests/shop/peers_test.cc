// SPDX-License-Identifier: Apache-2.0

#include "peers/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "errors.h"
#include "servers/temp_dir.h"
#include "support/scale.h"

namespace holdfast::shop {
namespace {

using ::testing::HasSubstr;

std::string trouble_with(const std::string& peer) {
  try {
    check_peer(peer);
    return "";
  } catch (const Trouble& e) {
    return e.what();
  }
}

TEST(ShopPeers, AreKnownAndBuilt) {
  EXPECT_THAT(trouble_with("jedis"), HasSubstr("there is no peer 'jedis'"));
  if (std::getenv("HOLDFAST_SHOP_REDISSON") != nullptr) return;
  EXPECT_THAT(trouble_with("redisson"), HasSubstr("./dev shop --peers redisson"));
}

TEST(ShopPeers, AreComparedByRequestsPerSecond) {
  EXPECT_EQ(ratio_to("redisson", {}), 0) << "nothing was sold";
  std::vector<SaleResult> sales(2);
  sales[0].strategy = &strategy_named("redisson");
  sales[0].load.latency.record(std::chrono::milliseconds(1), 100);
  sales[0].load.seconds = 2;
  sales[1].strategy = &strategy_named("beside-redisson");
  sales[1].load.latency.record(std::chrono::milliseconds(1), 300);
  sales[1].load.seconds = 1;
  EXPECT_DOUBLE_EQ(ratio_to("redisson", sales), 6);
}

TEST(ShopPeers, SellWhatThereIs) {
  if (std::getenv("HOLDFAST_SHOP_REDISSON") == nullptr) {
    GTEST_SKIP() << "HOLDFAST_SHOP_REDISSON is not set; ./dev shop --peers redisson "
                    "builds what it names";
  }
  const TempDir dir;
  Servers servers(dir.path());
  for (const StrategyInfo& each : peer_strategies()) {
    const SaleResult sale = run_sale(servers, dir.path(), each,
                                     {.program = HOLDFAST_SHOP,
                                      .users = 10,
                                      .requests = 10,
                                      .stock = 80,
                                      .limit = test::scaled(std::chrono::seconds(10))});
    EXPECT_EQ(sale.store, Store::redis);
    EXPECT_EQ(sale.load.errors, 0U) << sale.load.first_error;
    EXPECT_EQ(sale.oversold, 0);
    if (sale.load.cut) continue;  // on a busy machine
    EXPECT_EQ(sale.load.sold, 80U);
    EXPECT_EQ(sale.left, 0);
  }
}

}  // namespace
}  // namespace holdfast::shop

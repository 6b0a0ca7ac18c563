// SPDX-License-Identifier: Apache-2.0

#include "sale/sale.h"

#include <gtest/gtest.h>

#include "servers/temp_dir.h"
#include "support/scale.h"

namespace holdfast::shop {
namespace {

class ShopSale : public ::testing::TestWithParam<std::string> {
 protected:
  // The servers stay for all cases of the process.
  static void SetUpTestSuite() {
    dir_ = new TempDir;
    servers_ = new Servers(dir_->path());
  }
  static void TearDownTestSuite() {
    delete servers_;
    delete dir_;
  }

  static SaleResult sell(const std::string& name, Store store) {
    return run_sale(*servers_, dir_->path(), strategy_named(name),
                    {.program = HOLDFAST_SHOP,
                     .users = 30,
                     .requests = 10,
                     .stock = 250,
                     .store = store,
                     .limit = test::scaled(std::chrono::seconds(10))});
  }

  static inline TempDir* dir_ = nullptr;
  static inline Servers* servers_ = nullptr;
};

// 300 requests for 250 items: nothing is left, and 50 customers are told so.
void expect_whole(const SaleResult& sale) {
  EXPECT_EQ(sale.oversold, 0);
  if (sale.load.cut) return;  // on a busy machine
  EXPECT_EQ(sale.left, 0);
  EXPECT_EQ(sale.load.sold, 250U);
  EXPECT_EQ(sale.load.sold_out, 50U);
  EXPECT_EQ(sale.load.errors, 0U);
}

TEST_P(ShopSale, SellsWhatThereIs) { expect_whole(sell(GetParam(), Store::sqlite)); }

INSTANTIATE_TEST_SUITE_P(
    Strategies, ShopSale,
    ::testing::Values("mutex-1", "one-sql", "for-update", "optimistic", "redis-watch",
                      "v1", "v2", "v3", "v4", "v5", "v6", "v7", "mysql-row",
                      "holdfast-local", "holdfast-redis", "holdfast-etcd",
                      "holdfast-mysql", "holdfast-quorum", "zookeeper-create",
                      "zookeeper-sequence", "zookeeper-watch", "holdfast-zookeeper"),
    [](const auto& each) {
      std::string name = each.param;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

// Three sales may all be lucky only where requests hardly overlap.
TEST_F(ShopSale, OversellsWithoutALock) {
  for (const std::string name : {"no-lock", "mutex"}) {
    long oversold = 0;
    for (int i = 0; i < 3 && oversold == 0; ++i) {
      oversold = sell(name, Store::sqlite).oversold;
    }
    EXPECT_GT(oversold, 0) << name;
  }
}

TEST_F(ShopSale, DeadlocksInShareMode) {
  const SaleResult sale = sell("share-mode", Store::sqlite);
  EXPECT_EQ(sale.store, Store::mysql);  // SQLite has no such statement
  EXPECT_GT(sale.load.errors, 0U);
  EXPECT_EQ(sale.oversold, 0);
}

TEST_F(ShopSale, SellsFromEachStore) {
  for (const Store store : {Store::mysql, Store::redis}) {
    expect_whole(sell("one-sql", store));
    expect_whole(sell("holdfast-local", store));
  }
  expect_whole(sell("for-update", Store::mysql));
  expect_whole(sell("optimistic", Store::mysql));
}

TEST_F(ShopSale, IsCutWhenItsTimeIsOver) {
  const SaleResult sale = run_sale(*servers_, dir_->path(), strategy_named("one-sql"),
                                   {.program = HOLDFAST_SHOP,
                                    .users = 2,
                                    .requests = 100'000'000,
                                    .limit = std::chrono::milliseconds(50)});
  EXPECT_TRUE(sale.load.cut);
  EXPECT_LT(sale.load.seconds, std::chrono::duration<double>(test::patience()).count());
}

}  // namespace
}  // namespace holdfast::shop

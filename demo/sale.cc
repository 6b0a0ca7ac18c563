// SPDX-License-Identifier: Apache-2.0

#include "sale.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "errors.h"
#include "process.h"
#include "stock.h"

namespace holdfast::demo {
namespace {

constexpr int kCrashStockPerShop = 200;
constexpr int kSalesBeforeCrash = 20;
// A queue builds up meanwhile.
constexpr std::chrono::milliseconds kHoldBeforeCrash{200};

std::vector<Sample> listen(ShopProcess& shop) {
  std::vector<Sample> samples;
  for (Sample sample; shop.next(sample);) samples.push_back(sample);
  shop.wait();
  return samples;
}

void append(std::vector<Sample>& all, const std::vector<Sample>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

SaleResult run_sale(const Options& options, const std::string& store, int strategy) {
  open_stock(store)->fill(options.stock);
  std::vector<ShopProcess> shops;
  for (int i = 0; i < options.shops; ++i) {
    const int extra = i < options.stock % options.shops ? 1 : 0;
    shops.emplace_back(ShopOptions{.lock = options.lock,
                                   .number = i,
                                   .strategy = strategy,
                                   .threads = options.threads,
                                   .requests = options.stock / options.shops + extra,
                                   .cap_s = options.cap_s});
  }
  start_together(shops);
  std::vector<Sample> samples;
  for (ShopProcess& shop : shops) append(samples, listen(shop));
  SaleResult result{.statistics = summarize(samples),
                    .stock = options.stock,
                    .stock_left = open_stock(store)->read().count};
  result.oversold =
      static_cast<long>(result.statistics.sold) - (options.stock - result.stock_left);
  return result;
}

CrashResult run_crash(const Options& options, const std::string& store) {
  const int count = std::max(2, options.shops);
  CrashResult result;
  result.stock = count * kCrashStockPerShop;
  open_stock(store)->fill(result.stock);
  std::vector<ShopProcess> shops;
  shops.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    shops.emplace_back(ShopOptions{.lock = options.lock,
                                   .number = i,
                                   .threads = options.threads,
                                   .crash_scene = true,
                                   .hold_after = i == 0 ? kSalesBeforeCrash : -1});
  }
  // One shop opens first and stops with the lock; the others open and queue behind it.
  start_together({shops.data(), 1});
  std::vector<Sample> samples;
  bool held = false;
  for (Sample sample; !held && shops[0].next(sample);) {
    held = sample.holding;
    if (!held) samples.push_back(sample);
  }
  if (!held)
    throw Trouble(kInternal, "the first shop closed before it could be killed");
  start_together({shops.data() + 1, shops.size() - 1});
  std::this_thread::sleep_for(kHoldBeforeCrash);
  const std::int64_t killed_ns = steady_ns();
  shops[0].kill();
  for (std::size_t i = 1; i < shops.size(); ++i) append(samples, listen(shops[i]));

  for (const Sample& sample : samples) {
    if (sample.ended_ns < killed_ns) {
      ++result.sold_before;
      continue;
    }
    ++result.sold_after;
    const double ms = static_cast<double>(sample.ended_ns - killed_ns) / 1e6;
    if (result.resumed_ms < 0 || ms < result.resumed_ms) result.resumed_ms = ms;
  }
  result.stock_left = open_stock(store)->read().count;
  result.oversold =
      static_cast<long>(samples.size()) - (result.stock - result.stock_left);
  return result;
}

}  // namespace holdfast::demo

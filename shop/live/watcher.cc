// SPDX-License-Identifier: Apache-2.0

#include "live/watcher.h"

#include <algorithm>
#include <utility>

#include "sale/opened.h"
#include "servers/child.h"

namespace holdfast::shop {
namespace {

constexpr std::chrono::milliseconds kWindow{500};

// The services are read one after the other while requests come and go: no more are
// shown inside than there were at one instant.
std::vector<Moment::Service> seen_in(const Presence& presence, std::size_t services) {
  std::vector<Moment::Service> seen;
  int inside = presence.inside;
  for (std::size_t i = 0; i < services; ++i) {
    const Presence::Service& service = presence.services.at(i);
    const int here = std::clamp<int>(service.inside, 0, inside);
    inside -= here;
    seen.push_back({.inside = here, .buying = service.buying});
  }
  return seen;
}

}  // namespace

Watcher::~Watcher() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

SaleObserver Watcher::observer() {
  return {.opened =
              [this](const OpenedShop& shop) {
                board_.begin_sale();
                began_ = fresh_ = false;  // What was seen before was a warm-up.
                presence_.emplace(shop.presence());
                thread_ = std::thread([this, connection = shop.new_stock_connection(),
                                       services = shop.services().size()] {
                  watch(*connection, **presence_, services);
                });
              },
          .look =
              [this](const LoadResult& load) {
                throw_if_interrupted();
                {
                  const std::scoped_lock lock(mutex_);
                  last_ = {.at = Clock::now(), .load = load};
                  if (!began_) {
                    begin_ =
                        last_.at - std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(load.seconds));
                    began_ = true;
                  }
                  fresh_ = true;
                }
                changed_.notify_all();
              }};
}

// What was sold is counted before the stock is read. A purchase that is counted has
// left the stock by then, so a strategy that sells well never seems to oversell.
void Watcher::watch(StockConnection& connection, const Presence& presence,
                    std::size_t services) {
  for (;;) {
    Look look;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || fresh_; });
      if (ending_) return;
      fresh_ = false;
      look = last_;
    }
    Moment moment = moment_of(look);
    moment.services = seen_in(presence, services);
    try {
      moment.left = connection.read().count;
      board_.add(std::move(moment));
    } catch (const StoreError&) {  // There are more looks.
    }
  }
}

Moment Watcher::moment_of(const Look& look) {
  while (window_.size() > 1 && window_[1].at <= look.at - kWindow) window_.pop_front();
  const Look before =
      window_.empty() ? Look{.at = begin_, .load = {}} : window_.front();
  window_.push_back(look);
  const Histogram latency = look.load.latency.since(before.load.latency);
  const double seconds = std::chrono::duration<double>(look.at - before.at).count();
  return {
      .seconds = std::chrono::duration<double>(look.at - begin_).count(),
      .sold = look.load.sold,
      .errors = look.load.errors,
      .per_second = seconds > 0 ? static_cast<double>(latency.count()) / seconds : 0,
      .p50 = in_ms(latency.percentile(50)),
      .p90 = in_ms(latency.percentile(90)),
      .p99 = in_ms(latency.percentile(99))};
}

}  // namespace holdfast::shop

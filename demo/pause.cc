// SPDX-License-Identifier: Apache-2.0

#include "errors.h"
#include "lock.h"
#include "process.h"
#include "sale.h"
#include "stock.h"

namespace holdfast::demo {
namespace {

constexpr int kStock = 10;
constexpr std::chrono::seconds kPatience{30};

// Returns the next sample of a shop, which must have one.
Sample next_of(ShopProcess& shop) {
  Sample sample;
  if (!shop.next(sample)) throw Trouble(kInternal, "a shop closed in the middle");
  return sample;
}

}  // namespace

PauseResult run_pause(const Options& options, const std::string& store) {
  PauseResult result;
  const Client client = open_client(kShortTtl);
  if (!client.traits(engine::Kind::mutex).fences) return result;
  result.shown = true;
  const auto connection = open_stock(store);
  connection->fill(kStock);
  ShopProcess shop(ShopOptions{.lock = options.lock, .pause_scene = true});
  start_together({&shop, 1});
  result.old_token = next_of(shop).token;
  shop.stop();

  const std::int64_t stopped_ns = steady_ns();
  Mutex mutex(client, options.lock);
  {
    const auto hold = mutex.acquire({.wait = kPatience}).value();
    result.waited_ms = static_cast<double>(steady_ns() - stopped_ns) / 1e6;
    result.new_token = hold.token().value;
    if (!connection->write_fenced(connection->read().count - 1, result.new_token))
      throw Trouble(kInternal, "the stock refused the newest token");
  }
  shop.go_on();
  shop.start_at(steady_ns());
  const Sample late = next_of(shop);
  result.knew = late.knew;
  result.refused =
      late.outcome == Outcome::failed && connection->read().count == kStock - 1;
  return result;
}

}  // namespace holdfast::demo

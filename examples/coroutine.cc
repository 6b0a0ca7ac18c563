// SPDX-License-Identifier: Apache-2.0

// coroutine.cc - a hundred workers and no thread of their own: each waits with
// co_await.
//
//   $ ./coroutine
//   100 workers have sold 100 items, one at a time

#include <holdfast/coroutine.h>
#include <holdfast/holdfast.h>

#include <iostream>
#include <latch>

using namespace std::chrono_literals;

namespace {

constexpr int kWorkers = 100;

struct Shop {
  holdfast::Mutex mutex;
  int left = kWorkers;
  int inside = 0;
  bool crowded = false;
};

holdfast::Task<void> sell(Shop& shop) {
  auto hold = co_await holdfast::acquired(shop.mutex, {.wait = 1min});
  if (!hold) co_return;
  shop.crowded = shop.crowded || ++shop.inside > 1;
  --shop.left;
  --shop.inside;
  (void)co_await holdfast::released(std::move(*hold));  // the runner must not block
}

}  // namespace

int main() try {
  auto client = holdfast::Client::open().value();
  Shop shop{.mutex = holdfast::Mutex(client, "stock/1001")};
  std::latch sold(kWorkers);
  for (int worker = 0; worker < kWorkers; ++worker) {
    holdfast::run(sell(shop), [&] { sold.count_down(); });
  }
  sold.wait();
  std::cout << kWorkers << " workers have sold " << kWorkers - shop.left
            << " items, one at a time\n";
  return shop.left == 0 && !shop.crowded ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

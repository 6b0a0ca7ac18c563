// SPDX-License-Identifier: Apache-2.0

// shared_count.cc - a setting that all processes share, and news when it changes.
//
//   $ ./shared_count
//   the limit is 100
//   told: the limit is 250 now

#include <holdfast/holdfast.h>

#include <atomic>
#include <iostream>

int main() try {
  auto client = holdfast::Client::open().value();
  holdfast::SharedCount limit(client, "rate/limit");
  const auto before = limit.set(100).value();
  std::cout << "the limit is " << before.number << '\n';

  // Runs on Holdfast's notifier thread, for as long as `news` lives.
  std::atomic<std::int64_t> told = 0;
  auto news = limit.on_change([&](const holdfast::Versioned& now) {
    told = now.number;
    told.notify_all();
  });
  if (!news) throw holdfast::Error(news.error());

  // Another process changes it: if it still is as it was seen.
  holdfast::SharedCount theirs(holdfast::Client::open().value(), "rate/limit");
  const auto seen = theirs.get().value();
  if (seen != before || !theirs.compare_exchange(seen, 250).value().done) return 1;

  told.wait(0);
  std::cout << "told: the limit is " << told << " now\n";
  news->cancel();
  return told == 250 ? 0 : 1;
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

// SPDX-License-Identifier: Apache-2.0

// demo/options.h - the numbers of the sale.

#pragma once

#include <chrono>
#include <string>

namespace holdfast::demo {

struct Options {
  int stock = 5000;   // items on the shelf, and purchases asked for by all shops
  int shops = 3;      // processes
  int threads = 32;   // in each of them
  double cap_s = 8;   // a strategy ends after this time at the latest
  bool json = false;  // one object on stdout; progress goes to stderr
  std::string url;    // empty: a local segment beside the database
  std::string store;  // empty: SQLite in a temporary folder; else mysql://...
  std::string lock;   // a name of this run alone, that nothing else can have

  bool in_mysql() const { return !store.empty(); }
};

// Where the stock is, for the shops.
inline constexpr const char* kStoreVariable = "HOLDFAST_DEMO_STORE";

// What one shop process is told by the one that starts it. Engine and store come with
// HOLDFAST_URL and HOLDFAST_DEMO_STORE: they may hold passwords, and arguments are
// public.
struct ShopOptions {
  std::string store = {};
  std::string lock = {};
  int number = 0;  // 0, 1, ...
  int strategy = 0;
  int threads = 0;
  int requests = 0;
  double cap_s = 0;
  bool crash_scene = false;
  bool pause_scene = false;
  int hold_after = -1;  // crash scene: after so many sales, keep the lock and stop
};

inline std::chrono::nanoseconds seconds(double s) {
  return std::chrono::nanoseconds(static_cast<long long>(s * 1e9));
}

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

// demo/options.h - the numbers of the sale.

#pragma once

#include <chrono>
#include <string>

namespace holdfast::demo {

struct Options {
  int stock = 5000;   // items on the shelf, and purchases requested by all shops
                      // together
  int shops = 3;      // the number of processes
  int threads = 32;   // the number of threads in each of them
  double cap_s = 8;   // A strategy ends after this time at the latest.
  bool json = false;  // One object goes to stdout; progress goes to stderr.
  std::string url;    // empty means a local segment beside the database
  std::string store;  // empty means SQLite in a temporary folder; else mysql://...
  std::string lock;   // a name that only this run uses

  bool in_mysql() const { return !store.empty(); }
};

// This variable tells the shops where the stock is.
inline constexpr const char* kStoreVariable = "HOLDFAST_DEMO_STORE";

// These are the arguments of one shop process. Engine and store come in HOLDFAST_URL
// and HOLDFAST_DEMO_STORE, because they may hold passwords and arguments are public.
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
  int hold_after = -1;  // In the crash scene the shop keeps the lock after so many
                        // sales and stops.
};

inline std::chrono::nanoseconds seconds(double s) {
  return std::chrono::nanoseconds(static_cast<long long>(s * 1e9));
}

}  // namespace holdfast::demo

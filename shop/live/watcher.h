// SPDX-License-Identifier: Apache-2.0

// shop/live/watcher.h - looks at one sale twenty times a second, for the board.
//
//   Watcher watcher(board);
//   run_sale(servers, dir, strategy, options, watcher.observer());
//
// It has a thread and a connection of its own, so that the load, which has one thread
// for all users, never waits for the store.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "live/board.h"
#include "sale/sale.h"
#include "stores/presence.h"

namespace holdfast::shop {

class Watcher {
 public:
  explicit Watcher(Board& board) : board_(board) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  // Also ends the sale when the shop is interrupted.
  SaleObserver observer();

 private:
  using Clock = std::chrono::steady_clock;
  struct Look {
    Clock::time_point at;
    LoadResult load;
  };

  void watch(StockConnection& connection, const Presence& presence,
             std::size_t services);
  Moment moment_of(const Look& look);

  Board& board_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  bool began_ = false;       // There was a look, so begin_ is set for good.
  Clock::time_point begin_;  // of the load
  bool fresh_ = false;       // last_ is newer than the last moment
  Look last_;

  std::deque<Look> window_;  // of the thread: the looks of the last half second
  std::optional<PresenceFile> presence_;  // of the shop, once it is open
  std::thread thread_;                    // the last member: it uses the others
};

}  // namespace holdfast::shop

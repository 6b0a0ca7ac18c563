// SPDX-License-Identifier: Apache-2.0

// bench/async/relay.h - a lock that goes from waiter to waiter, each without a thread
// or each with one, and how long every hand-over took.
//
//   Relay relay(client, name, 100'000);
//   relay.enter(100'000);            // They wait, because another client has the lock.
//   relay.begin(std::move(hold));
//   relay.end();

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "histogram.h"
#include "holdfast/holdfast.h"

namespace holdfast::bench::async {

using holdfast::Result;  // and not a report's

// A waiter that has had the lock waits for it again, until there were `grants` of them.
// One relay is run once.
class Relay {
 public:
  Relay(const Client& client, const std::string& name, std::int64_t grants);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();  // closes the client if the relay has not ended

  // Starts the waiters. REQUIRES: there are at most as many as grants, and the lock is
  // held elsewhere.
  void enter(std::int64_t waiters);
  void enter_threads(std::int64_t waiters);  // the blocking form

  void begin(Hold hold);  // gives the lock to the first
  void end();  // waits; throws std::runtime_error if it takes longer than minutes

  double seconds() const { return static_cast<double>(ended_ns_ - began_ns_) / 1e9; }
  double rate() const { return static_cast<double>(grants_) / seconds(); }

  // From just before a release to the next grant.
  double percentile_us(double part) const {
    return 1e3 * handovers_.percentile_ms(part);
  }

  const Histogram& handovers() const noexcept { return handovers_; }

  // How many grants came with a token that was not larger than the one before: none, if
  // the lock excludes.
  std::int64_t stale() const noexcept { return stale_; }

 private:
  void wait();
  void on_grant(Result<Hold> hold);
  void run_thread();
  bool take_turn() { return left_.fetch_sub(1) > 0; }
  void note(FencingToken token);  // The holder of the lock calls it.
  void count_release();

  Client client_;
  Mutex mutex_;
  const std::int64_t grants_;
  std::atomic<std::int64_t> left_;  // grants that no waiter waits for yet
  std::atomic<std::int64_t> released_ = 0;
  std::promise<void> all_released_;
  std::vector<std::jthread> threads_;

  // What the lock protects.
  FencingToken last_;
  std::int64_t release_ns_ = 0;
  std::int64_t stale_ = 0;
  Histogram handovers_;

  std::int64_t began_ns_ = 0;
  std::int64_t ended_ns_ = 0;
};

}  // namespace holdfast::bench::async

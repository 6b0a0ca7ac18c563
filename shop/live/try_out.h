// SPDX-License-Identifier: Apache-2.0

// shop/live/try_out.h - a kept shop's primitives, tried by hand from the page.
//
//   TryOut tries(shop.port());
//   tries.send("semaphore", 10);       // ten requests for /test/semaphore at once
//   tries.state_json();                // which of them are in, and which wait
//
// A browser opens six connections to a server and no more, so it is this program that
// sends the requests.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::shop {

// It is safe for concurrent use.
class TryOut {
 public:
  explicit TryOut(std::uint16_t port) : port_(port) {}  // of the shop
  TryOut(const TryOut&) = delete;
  TryOut& operator=(const TryOut&) = delete;
  ~TryOut();  // waits for the answers; a shop that is closed gives none

  // Returns whether there is such a thing to try, and room for so many requests.
  bool send(std::string_view what, int times);

  // Returns `sent`, the latest requests, and `state`: what the shop answers to
  // GET /test/state, or null.
  std::string state_json() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Sent {
    int number = 0;
    std::string what;
    Clock::time_point at;
    double took = -1;  // seconds; negative: there is no answer yet
    std::string answer = {};
  };

  void await_answer(int number, const std::string& what);

  const std::uint16_t port_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Sent> sent_;
  int last_ = 0;
  int under_way_ = 0;
};

}  // namespace holdfast::shop

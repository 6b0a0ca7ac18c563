// SPDX-License-Identifier: Apache-2.0

// shop/load/load.h - users who all want one thing at once.
//
//   const LoadResult result = run_load({.port = 8080, .users = 100, .requests = 50});
//   result.latency.percentile(99);
//
// Each user has one connection, which is kept alive, and sends its next request when
// the answer to the last one is there. One thread drives them all by epoll, so that the
// load takes little from the services that it measures. It talks to loopback only.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "load/histogram.h"

namespace holdfast::shop {

struct LoadOptions {
  std::uint16_t port = 0;
  std::string target = "/stock/deduct";
  int users = 100;
  int requests = 50;  // of each user
  // No request is sent after this time.
  std::chrono::milliseconds limit{8000};
  // Afterwards, answers are awaited for this long.
  std::chrono::milliseconds grace{2000};
};

struct LoadResult {
  Histogram latency;  // of the requests that were answered
  std::uint64_t sold = 0;
  std::uint64_t sold_out = 0;
  std::uint64_t retries = 0;
  std::uint64_t errors = 0;      // answers other than 200, and connections that broke
  std::string first_error;       // what the first of them said
  std::uint64_t unanswered = 0;  // when the grace was over
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  double seconds = 0;  // from the first request to the last answer
  bool cut = false;    // The time limit came before the last request.

  std::uint64_t samples() const noexcept { return latency.count() + errors; }
  double per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(samples()) / seconds : 0;
  }
};

// Is called about twenty times a second while the load runs.
using LoadObserver = std::function<void(const LoadResult&)>;

// Throws Trouble when no connection can be made.
LoadResult run_load(const LoadOptions& options, const LoadObserver& observer = {});

}  // namespace holdfast::shop

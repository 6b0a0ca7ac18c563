// SPDX-License-Identifier: Apache-2.0

// holdfast/lease.h - how long a grant lasts, and how long to wait for one.

#pragma once

#include <chrono>
#include <stop_token>

#include "holdfast/timeout.h"

namespace holdfast::inline v0 {

// How long a grant lasts. By default the lease has the client's ttl and is renewed for
// as long as the lock is held:
//
//   Mutex job(client, "report", {.ttl = 10s});               // renewed
//   Mutex job(client, "report", {.cap = 1h});                // but not for ever
//   Mutex job(client, "report", LeaseOptions::fixed(10s));   // ends by itself
struct LeaseOptions {
  // Zero stands for ClientOptions::ttl.
  std::chrono::milliseconds ttl{0};

  // Without renewal, the grant ends `ttl` after it was given, whatever happens.
  bool renewed = true;

  // A renewed lease ends after this time at the latest.
  Timeout cap = Timeout::forever();

  static LeaseOptions fixed(std::chrono::milliseconds ttl) {
    return {.ttl = ttl, .renewed = false};
  }
  bool operator==(const LeaseOptions&) const = default;
};

// How long to wait:
//
//   auto hold = mutex.acquire({.wait = 2s});
//   auto hold = mutex.acquire({.wait = Timeout::until(deadline)});
//   auto hold = mutex.acquire({.wait = 0s});                 // ask once
//
// With a `wait` of zero, the engine is asked once, and a request that is not granted
// leaves no place in a queue. When the wait is over, the call fails with
// Errc::timed_out. When `stop` is requested, the wait ends early, with Errc::cancelled.
struct WaitOptions {
  Timeout wait = Timeout::forever();
  std::stop_token stop = {};
};

}  // namespace holdfast::inline v0

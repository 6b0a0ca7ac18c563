// holdfast/lease.h - how long a grant lasts, and how long to wait for one.

#pragma once

#include <chrono>
#include <stop_token>

#include "holdfast/timeout.h"

namespace holdfast {

// The default is renewed for as long as it is held, with the client's ttl.
//
//   Mutex job(client, "report", {.ttl = 10s});               // renewed
//   Mutex job(client, "report", {.cap = 1h});                // but not for ever
//   Mutex job(client, "report", LeaseOptions::fixed(10s));   // ends by itself
struct LeaseOptions {
  std::chrono::milliseconds ttl{0};  // zero: ClientOptions::ttl
  bool renewed = true;  // false: ends ttl after the grant, whatever happens
  Timeout cap =
      Timeout::forever();  // a renewed lease ends after this time at the latest

  static LeaseOptions fixed(std::chrono::milliseconds ttl) {
    return {.ttl = ttl, .renewed = false};
  }
  bool operator==(const LeaseOptions&) const = default;
};

struct AcquireOptions {
  Timeout wait = Timeout::forever();  // zero: one attempt that leaves no trace
  std::stop_token stop = {};          // ends the wait early, with Errc::cancelled
};

}  // namespace holdfast

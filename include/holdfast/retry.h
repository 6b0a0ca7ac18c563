// SPDX-License-Identifier: Apache-2.0

// holdfast/retry.h - how a server that cannot be reached is tried again.
//
//   auto client = holdfast::Client::open(
//       "redis://db1", {.retry = {.base = 100ms, .times = 5}});
//   auto same = holdfast::Client::open("redis://db1?retry_base=100ms&retry_times=5");
//
// The policy counts for opening a client and for every call that waits, within the time
// that the caller gave. After the last try the call fails with Errc::unavailable, and
// the message says how often and for how long the server was tried. The policy does not
// limit renewals and releases: a lease is renewed until it is over, and a release is
// retried until it is confirmed.

#pragma once

#include <chrono>
#include <optional>

#include "holdfast/export.h"

namespace holdfast::inline v0 {

struct RetryPolicy {
  // The pause after the first try. It doubles with every further try, up to 50 times
  // `base`. Each pause is shortened by a random part, at most half of it, so that
  // clients do not retry in step. `base` must be from 1 ms to 1 h.
  std::chrono::milliseconds base{10};

  // How many tries follow the first. If it is not set, opening a client is tried once,
  // and a call is retried for as long as its caller waits; a call that waits without
  // limit is retried for as long as a lease lasts.
  std::optional<int> times = {};
};

}  // namespace holdfast::inline v0

// holdfast/retry.h - how a server that cannot be reached is tried again.
//
//   auto client = holdfast::Client::open(
//       "redis://db1", {.retry = {.base = 100ms, .times = 5}});
//   auto client = holdfast::Client::open("redis://db1?retry_base=100ms&retry_times=5");
//
// Tried again are the opening of a client and every call that waits, within the time
// that its caller gave. After the last try: Errc::unavailable, in a sentence that says
// how often and how long the server was tried. Leases that are held are renewed, and
// given back, whatever this says: until their time is over.

#pragma once

#include <chrono>
#include <optional>

#include "holdfast/export.h"

namespace holdfast {

struct RetryPolicy {
  // The pause after the first try. It doubles with every further one, up to 50 times as
  // much, and each is shortened by a random part, at most half, so that clients do not
  // march in step.
  std::chrono::milliseconds base{10};

  // How many tries follow the first. Nothing: a client is opened at the first try or
  // not at all, and a call is repeated for as long as its caller waits, or for as long
  // as a lease if that is without limit.
  std::optional<int> times = {};
};

}  // namespace holdfast

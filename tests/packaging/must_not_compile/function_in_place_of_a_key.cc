// SPDX-License-Identifier: Apache-2.0

// What is done when a lock is not had says so: otherwise the function before it would
// pass for the key, and would run without the lock.
// expect: no matching function for call to .*locked

#include "holdfast/locked.h"

int use(const holdfast::Client& client) {
  const auto work = [](auto&&...) { return 1; };
  const auto on_busy = [](auto&&...) { return 2; };
#ifdef MISTAKE
  auto nightly = holdfast::locked(client, {.prefix = "nightly"}, work, on_busy);
  return nightly().value();
#else
  auto nightly =
      holdfast::locked(client, {.prefix = "nightly"}, work, holdfast::or_else(on_busy));
  return nightly();
#endif
}

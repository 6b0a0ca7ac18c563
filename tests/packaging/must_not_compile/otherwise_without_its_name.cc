// SPDX-License-Identifier: Apache-2.0

// The last argument of `locked` is or_throw or or_else, not a bare function.
// expect: no matching function for call to .*locked

#include "holdfast/locked.h"

int use(const holdfast::Client& client) {
  using holdfast::key_text;
  const auto on_busy = [](auto&&...) { return 2; };
#ifdef MISTAKE
  auto pay = holdfast::locked(
      client, {}, key_text<"{}">, [](int) { return 1; }, on_busy);
#else
  auto pay = holdfast::locked(
      client, {}, key_text<"{}">, [](int) { return 1; }, holdfast::or_else(on_busy));
#endif
  return pay(4711);
}

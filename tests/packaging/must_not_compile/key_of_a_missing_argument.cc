// SPDX-License-Identifier: Apache-2.0

// A key with a number that the call has no argument for.
// expect: names an argument that the call does not have

#include "holdfast/locked.h"

int use(const holdfast::Client& client) {
  using holdfast::key_text;
#ifdef MISTAKE
  auto move =
      holdfast::locked(client, {}, key_text<"{0}:{2}">, [](int, int) { return 1; });
#else
  auto move =
      holdfast::locked(client, {}, key_text<"{0}:{1}">, [](int, int) { return 1; });
#endif
  return move(1, 2).value();
}

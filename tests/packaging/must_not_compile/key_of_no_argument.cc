// SPDX-License-Identifier: Apache-2.0

// A key that fits no argument is told by the compiler, not by the first call.
// expect: the key of `locked` fits no argument

#include "holdfast/locked.h"

struct User {
  int id = 0;
};

int use(const holdfast::Client& client) {
  auto pay =
      holdfast::locked(client, {.prefix = "USER"}, &User::id, [](auto) { return 1; });
#ifdef MISTAKE
  return pay(4711).value();
#else
  return pay(User{4711}).value();
#endif
}

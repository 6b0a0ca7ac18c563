// SPDX-License-Identifier: Apache-2.0

// A key is not what runs under the lock.
// expect: no matching function for call to .*locked

#include "holdfast/locked.h"

struct User {
  int id = 0;
};

int use(const holdfast::Client& client) {
#ifdef MISTAKE
  auto pay =
      holdfast::locked(client, {.prefix = "USER"}, &User::id, holdfast::or_throw);
#else
  auto pay = holdfast::locked(
      client, {.prefix = "USER"}, [](User user) { return user.id; },
      holdfast::or_throw);
#endif
  return pay(User{4711});
}

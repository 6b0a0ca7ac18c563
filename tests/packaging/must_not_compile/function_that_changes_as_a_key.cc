// SPDX-License-Identifier: Apache-2.0

// A member function that may change its object is not a key.
// expect: no matching function for call to .*locked

#include "holdfast/locked.h"

struct Account {
#ifdef MISTAKE
  int number() { return ++calls; }
#else
  int number() const { return calls; }
#endif
  int calls = 0;
};

int use(const holdfast::Client& client) {
  auto pay =
      holdfast::locked(client, {}, &Account::number, [](auto&&...) { return 1; });
  return pay(Account()).value();
}

// SPDX-License-Identifier: Apache-2.0

// A client that could not be opened is no client: its Result has to be looked at.
// expect: could not convert|no matching function|cannot convert

#include "holdfast/mutex.h"

int main() {
  auto client = holdfast::Client::open("local:");
#ifdef MISTAKE
  holdfast::Mutex mutex(client, "a");
#else
  if (!client) return 1;
  holdfast::Mutex mutex(*client, "a");
#endif
  mutex.lock();
}

// SPDX-License-Identifier: Apache-2.0

// What a client is made of is its own; the session is for every program.
// expect: no member named .state

#include "holdfast/client.h"

const void* use(const holdfast::Client& client) {
#ifdef MISTAKE
  return client.state().get();
#else
  return &client.session();
#endif
}

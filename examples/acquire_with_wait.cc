// SPDX-License-Identifier: Apache-2.0

// acquire_with_wait.cc - wait for a while, and say who is in the way.
//
//   $ ./acquire_with_wait
//   busy: lock "report/daily" is held by web-07:4121:acquire_with_wait ...
//   mine now, token 1788239110293847

#include <holdfast/holdfast.h>

#include <iostream>

using namespace std::chrono_literals;

int main() try {
  // Two clients stand for two processes here.
  auto colleague = holdfast::Client::open().value();
  auto client = holdfast::Client::open().value();
  holdfast::Mutex theirs(colleague, "report/daily");
  holdfast::Mutex ours(client, "report/daily");

  auto their_hold = theirs.acquire().value();

  auto refused = ours.acquire({.wait = 100ms});
  if (refused || refused.error().code != holdfast::Errc::timed_out) return 1;
  std::cout << "busy: " << refused.error().message() << '\n';

  their_hold.release().value();

  auto hold = ours.acquire({.wait = 5s});
  if (!hold) {
    std::cerr << hold.error().message() << '\n';
    return 1;
  }
  std::cout << "mine now, token " << hold->token().value << '\n';
  return 0;  // the hold gives the lock back
} catch (const holdfast::Error& e) {
  std::cerr << e.failure().message() << '\n';
  return 1;
}

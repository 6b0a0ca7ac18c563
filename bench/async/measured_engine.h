// SPDX-License-Identifier: Apache-2.0

// bench/async/measured_engine.h - an engine on which waiters wait, and what its server
// is asked meanwhile.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/client.h"
#include "score.h"
#include "workload.h"

namespace holdfast::bench::async {

struct MeasuredEngine {
  std::string engine;
  std::string url;

  // How many threads may come while more waiters do: those that wait for answers of the
  // server, and one of each of the two clients, which renews from time to time.
  double most_threads;

  bool served;  // whether there is a server, which the meter reads
  Meter meter = {};

  // For how long waiters are looked at, and how long before that they come to rest: on
  // a server every waiter asks again once, within 5 s, before its entry is kept for it.
  struct Rest {
    std::chrono::nanoseconds before;
    std::chrono::nanoseconds window;
  };

  // Says what happens while nothing but waiting is done. `what` names the waiters, and
  // `most` is the most commands in a second; without a server only this process is
  // looked at, at once.
  void tell_rest(const std::string& workload, const std::string& what, double most,
                 const Rest& rest, Report& report) const;
};

// Returns local and, where this program has it, redis, but for what --only leaves out.
std::vector<MeasuredEngine> measured_engines(const Context& context);

// Returns when the client's runner has looked at every call that was started before.
void wait_for_runner(const Client& client);

// No waiter wants it.
inline constexpr const char* kFreeName = "async/free";

// A few waiters start all threads; the others shall start none.
inline constexpr int kFew = 64;

// Spells a number of waiters as in "100,000 waiters".
std::string spell_waiters(std::int64_t waiters);

}  // namespace holdfast::bench::async

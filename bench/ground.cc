// SPDX-License-Identifier: Apache-2.0

#include "ground.h"

#include <cstdlib>
#include <mutex>

#include "contestant.h"
#include "holdfast/mutex.h"

namespace holdfast::bench {

using std::chrono::steady_clock;

void Ground::enter(std::string_view options) const {
  setenv("HOLDFAST_URL", (server->url() + std::string(options)).c_str(), 1);
}

void Ground::warm_up(std::chrono::milliseconds time) const {
  enter();
  Mutex mutex(open_client(), "ours");
  for (const auto end = steady_clock::now() + time; steady_clock::now() < end;) {
    const std::scoped_lock guard(mutex);
  }
}

}  // namespace holdfast::bench

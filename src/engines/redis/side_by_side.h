// SPDX-License-Identifier: Apache-2.0

// engines/redis/side_by_side.h - asks several servers at once.

#pragma once

#include <exception>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include "base/thread.h"

namespace holdfast::redis {

class Requests;

// Calls `ask(server, items)` for each server, all at the same time, and returns when
// all have returned: a server that does not answer does not delay the others.
template <class Items, class Ask>
void ask_side_by_side(std::map<Requests*, Items>& by_server, const Ask& ask) {
  std::vector<std::thread> others;
  for (auto at = by_server.begin(); at != by_server.end(); ++at) {
    const auto one = [&ask, at] { ask(*at->first, at->second); };
    if (std::next(at) == by_server.end()) {
      one();
      break;
    }
    try {
      others.push_back(base::start_thread("hf-redis-renew", one));
    } catch (const std::exception&) {  // The system has no thread.
      one();
    }
  }
  for (std::thread& other : others) other.join();
}

}  // namespace holdfast::redis

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
// all have returned: a server that does not answer does not delay the others. If a call
// throws, the others go on, and then one of the exceptions is thrown again.
template <class Items, class Ask>
void ask_side_by_side(std::map<Requests*, Items>& by_server, const Ask& ask) {
  std::vector<std::exception_ptr> thrown(by_server.size());
  std::vector<std::thread> others;
  others.reserve(by_server.size());
  auto why = thrown.begin();
  for (auto at = by_server.begin(); at != by_server.end(); ++at, ++why) {
    const auto one = [&ask, at, why]() noexcept {
      try {
        ask(*at->first, at->second);
      } catch (...) {
        *why = std::current_exception();
      }
    };
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
  for (const std::exception_ptr& each : thrown) {
    if (each != nullptr) std::rethrow_exception(each);
  }
}

}  // namespace holdfast::redis

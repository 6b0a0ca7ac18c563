// SPDX-License-Identifier: Apache-2.0

// bench/rival_peer.h - the rivals in other languages: the programs of tests/interop.
//
//   auto all = RivalPeer::start({"redisson", "RLock"}, 1, url, "contended", report);

#pragma once

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"
#include "report.h"
#include "storm.h"

namespace holdfast::bench {

struct Rival {
  std::string library;  // a folder of tests/interop
  std::string lock;     // the library's name for its mutex
};

struct Latency {
  double p50_ms = 0;
  double p99_ms = 0;
};

// This is one process with one client of that library.
class RivalPeer {
 public:
  // Starts the processes and warms them up, each alone and all on one lock. Returns
  // none if HOLDFAST_<LIBRARY>_PEER does not name the program, and the report then says
  // so.
  static std::vector<RivalPeer> start(const Rival& rival, int processes,
                                      const std::string& url,
                                      const std::string& workload, Report& report);

  // The threads lock and unlock as fast as they can: `name` itself or, if it ends in
  // "/", each thread a name below it. Each works for `section` under the lock.
  void begin(const std::string& name, int threads, std::chrono::milliseconds time,
             std::chrono::microseconds section = {});
  Storm end();

  // Has so many callers wait for `name`, which this process holds: asynchronous ones,
  // or goroutines. They have all asked for it when it returns, or are about to.
  void gather(const std::string& name, int waiters);

  // Gives the lock to the first of those waiters; each passes it on at once. Ends when
  // all have had it, or after `most`. The waits of the Storm are the hand-overs, from
  // just before a release to the next grant.
  Storm serve(std::chrono::milliseconds most);

  pid_t pid() const noexcept { return program_.pid(); }

  // Repeats `rounds` times: one thread has the lock, another waits for it, and after
  // `held` it is released. Measures from the release to the grant. Only the Go peer can
  // do this.
  Latency hand_over(const std::string& name, int rounds,
                    std::chrono::milliseconds held);

 private:
  std::istringstream answer();  // returns what follows "ok"; throws std::runtime_error
  RivalPeer(const Rival& rival, const std::string& built, const std::string& url);

  std::string lock_;
  Program program_;
};

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// bench/workload.h - the named workloads. bench/main.cc lists them.

#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report.h"

namespace holdfast::bench {

namespace redis {
class Server;
}
struct Ground;

// A workload may put its files into `dir`, which is removed afterwards. HOLDFAST_URL
// names a segment in it, or the server.
struct Context {
  std::string dir;
  const redis::Server* server = nullptr;  // for all that redis takes part in
  std::span<const Ground> grounds = {};   // for zookeeper, etcd and mysql
  std::string beside = {};  // a holdfast_bench of another state of the tree

  bool smoke = false;  // Everything runs, too shortly to mean anything.

  std::string only =
      {};  // `contended` leaves out crowds without this in their name, `async` engines

  bool wants(std::string_view crowd) const {
    return crowd.find(only) != std::string_view::npos;
  }
  int rounds(int full) const { return smoke ? 1 : full; }
  std::chrono::nanoseconds time(std::chrono::nanoseconds full) const {
    return smoke ? full / 20 : full;
  }

  // Returns these, and kBefore among them if there is such a program.
  std::vector<std::string> contestants(std::vector<std::string> all) const;
};

struct Workload {
  std::string_view name;
  void (*run)(const Context&, Report&);
};

void uncontended(const Context&, Report&);
void reentry(const Context&, Report&);
void handover(const Context&, Report&);
void contended(const Context&, Report&);
void waiters(const Context&, Report&);
void syscalls(const Context&, Report&);
void allocations(const Context&, Report&);
void memory(const Context&, Report&);
void counts(const Context&, Report&);
void growth(const Context&, Report&);
void growth_on_server(const Context&, Report&);  // for zookeeper, etcd and mysql
void readers(const Context&, Report&);           // also for engine redis

// Runs a process that a workload has started: `args` are those given to start().
int play_role(const std::vector<std::string>& args);

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

#include <mutex>

#include "contestant.h"
#include "holdfast/holdfast.h"
#include "redis/monitor.h"
#include "redis/server.h"
#include "redis/workloads.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr int kPairs = 1000;

// Returns the commands for one pair. The first pair may send the scripts and is not
// counted.
template <class M>
double of_a_pair(M& mutex, const Server& server) {
  mutex.lock();
  mutex.unlock();
  Monitor monitor(server.port());
  for (int i = 0; i < kPairs; ++i) std::scoped_lock guard(mutex);
  return static_cast<double>(monitor.seen().size()) / kPairs;
}

}  // namespace

void commands(const Context& context, Report& report) {
  const Server& server = *context.server;
  const Client client = open_client();
  Mutex mutex(client, "bench/commands");
  report.add({"commands", "holdfast: lock and unlock", of_a_pair(mutex, server),
              "per pair", Target::count_at_most(2)});
  RecursiveMutex again(client, "bench/commands");
  const std::scoped_lock outer(again);
  report.add({"commands", "holdfast: re-entry", of_a_pair(again, server), "per pair",
              Target::count_at_most(0)});
  for (RivalPeer& redisson :
       RivalPeer::start(kRedisson, 1, server.url(), "commands", report)) {
    Monitor monitor(server.port());
    redisson.begin("bench/commands/", 1, 300ms);
    const double grants = redisson.end().grants;
    report.add({"commands", "redisson: lock and unlock",
                static_cast<double>(monitor.seen().size()) / grants, "per pair"});
  }
}

}  // namespace holdfast::bench::redis

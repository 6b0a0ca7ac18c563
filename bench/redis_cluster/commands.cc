// SPDX-License-Identifier: Apache-2.0

#include <deque>
#include <mutex>

#include "contestant.h"
#include "holdfast/holdfast.h"
#include "redis/monitor.h"
#include "redis_cluster/cluster.h"
#include "redis_cluster/workloads.h"

namespace holdfast::bench::redis_cluster {
namespace {

constexpr int kNames = 1000;  // They belong to almost as many slots.

void lock_each(const Client& client) {
  for (int i = 0; i < kNames; ++i) {
    Mutex mutex(client, "bench/commands/" + std::to_string(i));
    const std::scoped_lock guard(mutex);
  }
}

}  // namespace

// What is sent in vain, to a server that does not have the slot, is counted, too.
void commands(const Context& context, Report& report) {
  const Cluster cluster(3, context.dir);
  const Client client = open_client(cluster.url());
  lock_each(client);  // This sends the scripts to every server.
  std::deque<redis::Monitor> monitors;
  for (const redis::Server& each : cluster.servers())
    monitors.emplace_back(each.port());
  lock_each(client);
  double seen = 0;
  for (redis::Monitor& each : monitors) seen += static_cast<double>(each.seen().size());
  report.add({"commands", "holdfast: lock and unlock", seen / kNames, "per pair",
              Target::count_at_most(2)});
}

}  // namespace holdfast::bench::redis_cluster

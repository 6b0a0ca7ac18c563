// SPDX-License-Identifier: Apache-2.0

#include "contestant.h"
#include "redis/many_claims.h"
#include "redis_cluster/cluster.h"
#include "redis_cluster/workloads.h"
#include "timing.h"

namespace holdfast::bench::redis_cluster {
namespace {

constexpr int kLocks = 100'000;  // They belong to nearly all of the 16,384 slots.
constexpr int kFewLocks = 1000;

void measure(const std::string& which, redis::ManyClaims& claims,
             const Cluster& cluster, Report& report) {
  const double commands = cluster.calls(redis::kFromClients);
  const double theirs = cluster.cpu_seconds();
  const double ours = cpu_seconds();
  const std::int64_t start = now_ns();
  const int lost = claims.renew();
  const double seconds = static_cast<double>(now_ns() - start) / 1e9;
  report.add({"renewal", which, seconds, "s", Target::time_at_most(3)});
  report.add({"renewal", which + ": not confirmed", static_cast<double>(lost), "",
              Target::count_at_most(0)});
  report.add(
      {"renewal", which + ": client's processor time", cpu_seconds() - ours, "s"});
  report.add({"renewal", which + ": servers' processor time",
              cluster.cpu_seconds() - theirs, "s"});
  report.add({"renewal", which + ": commands",
              cluster.calls(redis::kFromClients) - commands, ""});
}

}  // namespace

// The first renewal also sends the script and subscribes to a channel in every slot.
void renewal(const Context& context, Report& report) {
  const Cluster cluster(3, context.dir);
  redis::ManyClaims claims(open_client(cluster.url()),
                           context.smoke ? kFewLocks : kLocks);
  measure("100,000 renewed for the first time", claims, cluster, report);
  measure("100,000 renewed again", claims, cluster, report);
}

}  // namespace holdfast::bench::redis_cluster

// SPDX-License-Identifier: Apache-2.0

#include "counts.h"

#include "contestant.h"
#include "operations.h"
#include "redis/monitor.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "timing.h"

namespace holdfast::bench::redis {
namespace {

struct Commands {
  double sent = 0;
  double in_scripts = 0;
};

// Returns the median of the turns.
Commands commands_of(const Operation& operation, Monitor& monitor) {
  std::vector<double> sent;
  std::vector<double> in_scripts;
  for (int turn = -kWarmUps; turn < kTurns; ++turn) {
    operation.before();
    (void)monitor.seen();
    operation.run();
    const auto seen = monitor.seen();
    operation.after();
    if (turn < 0) continue;
    sent.push_back(static_cast<double>(seen.size()));
    in_scripts.push_back(monitor.in_scripts());
  }
  return {median(sent), median(in_scripts)};
}

}  // namespace

void counts(const Context& context, Report& report) {
  const auto all = costs(context);
  if (!all) return report.skip("counts", "strace is missing or may not trace");
  const std::vector<Operation> each = operations(open_client());
  Monitor monitor(context.server->port());
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Cost& cost = (*all)[i];
    const std::string name(cost.operation);
    const Commands commands = commands_of(each[i], monitor);
    const Target target = Target::count_at_most(cost.most_trips);
    report.add({"counts", name, cost.trips, "round trips", target});
    report.add({"counts", name, commands.sent, "commands", target});
    report.add({"counts", name, commands.in_scripts, "inside scripts"});
  }
}

}  // namespace holdfast::bench::redis

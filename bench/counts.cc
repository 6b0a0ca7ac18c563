// SPDX-License-Identifier: Apache-2.0

#include "counts.h"

#include <stdexcept>
#include <string>

#include "contestant.h"
#include "operations.h"
#include "roles.h"
#include "timing.h"
#include "trace.h"

namespace holdfast::bench {

void operations_role(Words) {
  for (const Operation& each : operations(open_client())) {
    for (int turn = -kWarmUps; turn < kTurns; ++turn) {
      each.before();
      if (turn >= 0) mark();
      each.run();
      if (turn >= 0) mark();
      each.after();
    }
  }
}

std::optional<std::vector<Cost>> costs(const Context& context) {
  const auto spans = trace({"operations"}, context.dir);
  if (!spans) return std::nullopt;
  std::vector<Cost> all;
  for (const Operation& each : operations(open_client())) {
    all.push_back({each.name, each.trips});
  }
  if (spans->size() != all.size() * kTurns) {
    throw std::runtime_error("counts: strace did not see every operation");
  }
  auto span = spans->begin();
  for (Cost& cost : all) {
    std::vector<double> trips;
    std::vector<double> calls;
    for (int turn = 0; turn < kTurns; ++turn, ++span) {
      trips.push_back(static_cast<double>(span->sent));
      calls.push_back(static_cast<double>(span->calls));
    }
    cost.trips = median(trips);
    cost.calls = median(calls);
  }
  return all;
}

void counts(const Context& context, Report& report) {
  const auto all = costs(context);
  if (!all) return report.skip("counts", "strace is missing or may not trace");
  for (const Cost& each : *all) {
    const std::string name(each.operation);
    report.add({"counts", name, each.trips, "round trips", Target::count_at_most(0)});
    report.add({"counts", name, each.calls, "system calls"});
  }
}

}  // namespace holdfast::bench

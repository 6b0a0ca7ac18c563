// SPDX-License-Identifier: Apache-2.0

#include "requests.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "contestant.h"
#include "operations.h"
#include "timing.h"

namespace holdfast::bench {
namespace {

constexpr int kWarmUps = 3;
constexpr int kTurns = 10;

std::optional<Target> limit_of(const Operation& operation,
                               std::span<const Limit> limits) {
  const auto found = std::ranges::find(limits, operation.name, &Limit::operation);
  if (found == limits.end()) return std::nullopt;
  return Target::count_at_most(found->requests);
}

double requests_of(const Operation& operation, const CountedServer& server) {
  std::vector<double> all;
  for (int turn = -kWarmUps; turn < kTurns; ++turn) {
    operation.before();
    const double before = server.requests();
    operation.run();
    const double after = server.requests();
    operation.after();
    if (turn >= 0) all.push_back(after - before);
  }
  return median(all);
}

}  // namespace

void count_requests(const Ground& ground, std::span<const Limit> limits,
                    Report& report) {
  ground.enter();
  for (const Operation& each : operations(open_client())) {
    report.add({"counts", std::string(each.name), requests_of(each, *ground.server),
                "requests", limit_of(each, limits)});
  }
}

}  // namespace holdfast::bench

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "contestant.h"
#include "operations.h"
#include "timing.h"
#include "zookeeper/ground.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {
namespace {

constexpr int kWarmUps = 3;
constexpr int kTurns = 10;

// Those sent together are one round trip: a lock is made and the line listed.
struct Limit {
  std::string_view operation;
  double requests;
};
constexpr Limit kLimits[] = {
    {"Mutex: lock", 2},
    {"Mutex: unlock", 1},
    {"FairMutex: lock", 2},
    {"FairMutex: unlock", 1},
    {"SharedMutex: lock_shared", 2},
    {"SharedMutex: unlock_shared", 1},
    {"SharedMutex: lock", 2},
    {"SharedMutex: unlock", 1},
    {"Semaphore: release", 1},
    {"Election: campaign", 2},
    {"Election: resign", 1},
    {"Counter: get", 1},
    {"Counter: add", 1},
    {"SharedCount: try_set", 1},
};

std::optional<Target> limit_of(const Operation& operation) {
  const auto found = std::ranges::find(kLimits, operation.name, &Limit::operation);
  if (found == std::end(kLimits)) return std::nullopt;
  return Target::count_at_most(found->requests);
}

double requests_of(const Operation& operation, const Server& server) {
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

void counts(const Context& context, Report& report) {
  const Ground& ground = context.grounds.front();
  ground.enter();
  for (const Operation& each : operations(open_client())) {
    report.add({"counts", std::string(each.name), requests_of(each, ground.server),
                "requests", limit_of(each)});
  }
}

}  // namespace holdfast::bench::zookeeper

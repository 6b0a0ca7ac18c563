#include "contestant.h"
#include "operations.h"
#include "timing.h"
#include "zookeeper/ground.h"
#include "zookeeper/workloads.h"

namespace holdfast::bench::zookeeper {
namespace {

constexpr int kWarmUps = 3;
constexpr int kTurns = 10;

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
                "requests"});
  }
}

}  // namespace holdfast::bench::zookeeper

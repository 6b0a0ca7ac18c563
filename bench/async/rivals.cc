// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <thread>

#include "async/measured_engine.h"
#include "async/relay.h"
#include "async/workloads.h"
#include "contestant.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "timing.h"
#include "usage.h"

namespace holdfast::bench::async {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRivals = "rivals";
constexpr const char* kShared = "async/rivals";
constexpr std::chrono::seconds kSettle = 1s;  // By then all have asked once.
constexpr std::chrono::seconds kRest = 2s;    // shorter than redsync's leases, of 8 s
constexpr std::chrono::seconds kMostTime = 30s;

// Returns the commands in a second while the waiters wait.
double commands_at_rest(const Meter& meter) {
  std::this_thread::sleep_for(kSettle);
  const double before = meter.requests();
  std::this_thread::sleep_for(kRest);
  return (meter.requests() - before) / std::chrono::duration<double>(kRest).count();
}

struct Served {
  double threads;
  double commands;  // in a second, at rest
  double granted;
  double seconds;
  Histogram handovers;
};

void tell(const std::string& who, const Served& served, Report& report) {
  report.add_row(kRivals, who,
                 {{"threads", served.threads},
                  {"rest cmd/s", served.commands},
                  {"granted", served.granted},
                  {"grants/s", served.granted / served.seconds},
                  {"p50 us", 1e3 * served.handovers.percentile_ms(0.5)},
                  {"p99 us", 1e3 * served.handovers.percentile_ms(0.99)}});
}

Served serve_ours(const Meter& meter, int waiters) {
  const Client theirs = open_client();
  const Client ours = open_client();
  Relay relay(ours, kShared, waiters);
  Hold hold = Mutex(theirs, kShared).acquire().value();
  relay.enter(waiters);
  const double commands = commands_at_rest(meter);
  const double threads = threads_of(getpid());
  relay.begin(std::move(hold));
  relay.end();
  return {threads, commands, static_cast<double>(waiters), relay.seconds(),
          relay.handovers()};
}

// A rival that was too slow leaves its lock behind, so each has a name of its own.
Served serve(RivalPeer& rival, const std::string& name, const Meter& meter,
             int waiters) {
  rival.gather(name, waiters);
  const double commands = commands_at_rest(meter);
  const double threads = threads_of(rival.pid());
  const Storm storm = rival.serve(kMostTime);
  return {threads, commands, storm.grants, storm.seconds, storm.waits};
}

}  // namespace

// SET is what redsync and rueidislock lock with; our scripts call it seldom.
void rivals(const Context& context, Report& report) {
  std::vector<std::string> commands = redis::kFromClients;
  commands.emplace_back("set");
  const Meter meter = redis::meter_of(*context.server, commands);
  const int waiters = context.smoke ? 500 : 10'000;
  const std::string what = spell_waiters(waiters) + ", ";
  tell(what + "holdfast", serve_ours(meter, waiters), report);
  for (const Rival& rival : {redis::kRueidislock, redis::kRedsync, redis::kRedisson}) {
    for (RivalPeer& each :
         RivalPeer::start(rival, 1, context.server->url(), kRivals, report)) {
      tell(what + rival.lock,
           serve(each, std::string(kShared) + "/" + rival.lock, meter, waiters),
           report);
    }
  }
}

}  // namespace holdfast::bench::async

// SPDX-License-Identifier: Apache-2.0

#include "async/measured_engine.h"

#include <future>
#include <thread>

#include "holdfast/holdfast.h"
#include "timing.h"
#ifdef HOLDFAST_BENCH_REDIS
#include "redis/server.h"
#endif

namespace holdfast::bench::async {

using holdfast::Result;  // and not a report's

namespace {

constexpr double kRenewing = 2;
constexpr double kAsking = 8;

}  // namespace

void MeasuredEngine::tell_rest(const std::string& workload, const std::string& what,
                               double most, const Rest& rest, Report& report) const {
  if (served) std::this_thread::sleep_for(rest.before);
  const double requests = meter.requests();
  const double theirs = meter.cpu_seconds();
  const double ours = cpu_seconds();
  const std::int64_t start = now_ns();
  std::this_thread::sleep_for(rest.window);
  const double seconds = static_cast<double>(now_ns() - start) / 1e9;
  report.add({workload, what + " at rest: our processor time",
              100 * (cpu_seconds() - ours) / seconds, "% of a core"});
  if (!served) return;
  report.add({workload, what + " at rest: the server's",
              100 * (meter.cpu_seconds() - theirs) / seconds, "% of a core"});
  report.add({workload, what + " at rest: commands",
              (meter.requests() - requests) / seconds, "per s",
              Target::count_at_most(most)});
}

std::vector<MeasuredEngine> measured_engines(const Context& context) {
  std::vector<MeasuredEngine> all;
  all.push_back({"local", "local://" + context.dir + "/async", kRenewing, false});
#ifdef HOLDFAST_BENCH_REDIS
  all.push_back({"redis", context.server->url(), kRenewing + kAsking, true,
                 redis::meter_of(*context.server, redis::kFromClients)});
#endif
  std::erase_if(
      all, [&](const MeasuredEngine& each) { return !context.wants(each.engine); });
  return all;
}

// The runner takes first steps in the order in which calls were started.
void wait_for_runner(const Client& client) {
  std::promise<Result<Hold>> last;
  Mutex(client, kFreeName).acquire_async([&last](Result<Hold> hold) {
    last.set_value(std::move(hold));
  });
  last.get_future().get().value().release().value();
}

std::string spell_waiters(std::int64_t waiters) {
  return spell_number(waiters) + " waiters";
}

}  // namespace holdfast::bench::async

// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <deque>
#include <thread>

#include "contestant.h"
#include "holdfast/holdfast.h"
#include "redis/many_claims.h"
#include "redis/server.h"
#include "redis/workloads.h"
#include "timing.h"
#include "usage.h"

namespace holdfast::bench::redis {
namespace {

using namespace std::chrono_literals;

constexpr int kLocks = 100'000;
constexpr std::chrono::seconds kTtl = 30s;  // the default
constexpr std::chrono::seconds kWindow =
    kTtl / 3;  // Every lock is renewed once in this window.
constexpr double kWindowSeconds = 10;

// The keeper renews, while nothing else happens.
void kept(const Server& server, Report& report) {
  const Client client = open_client();
  std::deque<Hold> holds;
  holds.push_back(Mutex(client, name_of(kLocks)).acquire().value());
  const double heap = heap_bytes();
  const double stored = server.info("memory", "used_memory:");
  for (int i = 0; i < kLocks; ++i) {
    holds.push_back(Mutex(client, name_of(i)).acquire().value());
  }
  report.add({"renewal", "100,000 held: in the process", (heap_bytes() - heap) / kLocks,
              "bytes each", Target::count_at_most(600)});
  report.add({"renewal", "100,000 held: in the server",
              (server.info("memory", "used_memory:") - stored) / kLocks, "bytes each"});

  std::this_thread::sleep_for(kWindow);  // By then the renewals are spread evenly.
  const double commands = server.calls(kFromClients);
  const double theirs = server.cpu_seconds();
  const double ours = cpu_seconds();
  std::this_thread::sleep_for(kWindow);
  report.add({"renewal", "the client's processor time",
              100 * (cpu_seconds() - ours) / kWindowSeconds, "% of a core"});
  report.add({"renewal", "the server's processor time",
              100 * (server.cpu_seconds() - theirs) / kWindowSeconds, "% of a core"});
  report.add({"renewal", "commands",
              (server.calls(kFromClients) - commands) / kWindowSeconds, "per s"});
}

void at_once(Report& report) {
  ManyClaims claims(open_client(), kLocks);
  const std::int64_t start = now_ns();
  const int lost = claims.renew();
  report.add({"renewal", "100,000 renewed at once",
              static_cast<double>(now_ns() - start) / 1e9, "s",
              Target::time_at_most(2)});
  report.add({"renewal", "of them not confirmed", static_cast<double>(lost), "",
              Target::count_at_most(0)});
}

}  // namespace

void renewal(const Context& context, Report& report) {
  at_once(report);
  kept(*context.server, report);
}

}  // namespace holdfast::bench::redis
